// The timeline of a job as SVG: its phases, and what each node did.
#pragma once

#include <string>

#include "launcher/job/goodput.h"

namespace slipway::commands {

// "#0072b2". Readers who confuse red and green can distinguish the colors.
const char* phase_color(job::Phase phase);

// A lane for the phases, one for each node (of many nodes, for some), and the axis. `goodput` has
// spans. The page has the classes: ledger_page.cc.
std::string timeline(const job::Goodput& goodput);

}  // namespace slipway::commands
