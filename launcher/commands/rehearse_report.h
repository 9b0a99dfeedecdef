// What `slipway rehearse` prints.
#pragma once

#include <string>
#include <vector>

#include "launcher/commands/page.h"
#include "launcher/job/failures.h"
#include "launcher/job/rehearsal.h"

namespace slipway::commands {

struct Rehearsal {
  job::FailureProfile profile;
  job::Scenario scenario;
  std::vector<job::Outcome> outcomes;  // at least one
};

// The setting with the most goodput for every node that is paid for.
const job::Outcome& best(const Rehearsal& rehearsal);

// Goodput per node that is paid for, spares included.
double per_node(const job::Outcome& outcome, const job::Scenario& scenario);

// The goodput that theory predicts with nodes enough.
double theory_of(const job::Scenario& scenario, double interval_seconds);

// The given conditions, in a few lines.
std::string given(const Rehearsal& rehearsal, const Paint& paint);

std::string as_text(const Rehearsal& rehearsal, const Paint& paint);
std::string as_json(const Rehearsal& rehearsal);  // docs/schemas/rehearsal-1.schema.json
std::string as_page(const Rehearsal& rehearsal);  // HTML that needs no other file

}  // namespace slipway::commands
