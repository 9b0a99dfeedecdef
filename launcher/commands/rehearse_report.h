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

std::string as_text(const Rehearsal& rehearsal, const Paint& paint);
std::string as_json(const Rehearsal& rehearsal);  // docs/schemas/rehearsal-1.schema.json

}  // namespace slipway::commands
