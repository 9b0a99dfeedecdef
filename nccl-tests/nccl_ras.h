// What NCCL's RAS service says in a report of a run that has failed.
#pragma once

#include <string>

namespace slipway::bandwidth {

// The ranks that differ from the others; if there are none, the whole answer, or why there is none.
// Each line begins with "  ras: ". Takes three seconds at most.
std::string ras_report();

}  // namespace slipway::bandwidth
