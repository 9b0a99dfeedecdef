// A request to Compute Engine for several machines, and what became of it.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "launcher/node/buy.h"
#include "launcher/node/resume_order.h"
#include "launcher/node/trouble.h"

namespace slipway::node {

// instances.bulkInsert or regionInstances.bulkInsert.
struct BulkRequest {
  std::string place;
  std::vector<std::string> zones;
  size_t count = 0;  // of machines
  nlohmann::json operation;
};

// A managed instance group with a resize request, which waits in the cloud's line for capacity: how
// flex-start machines are made together.
struct FlexRequest {
  std::string group;  // path: "zones/us-central1-a/instanceGroupManagers/c-gpu-flex-12-0a1b2c"
  std::string place;
  nlohmann::json resize;     // the body of the resize request, until it is sent
  nlohmann::json operation;  // under way; null: none
};

using MakingRequest = std::variant<BulkRequest, FlexRequest>;

// Asks for the machines `names` of a batch. Throws Refused, or Error.
MakingRequest ask_for(Compute& compute, const Batch& batch, const std::vector<std::string>& names,
                      const Offer& offer);

struct MakingResult {
  bool has_ended = false;
  std::vector<OperationError> errors{};  // empty: everything was made
};

// Asks how far it is. Throws Refused, or Error.
MakingResult look_after(Compute& compute, MakingRequest& request);

// Gives up what has not been made yet, as far as the cloud can: machines that it makes later are
// the reconciler's. Reports trouble to the patience.
void give_up(Compute& compute, MakingRequest& request);

// What the names of all flex-start groups of a nodeset begin with: `prefix` is "c-gpu-".
std::string flex_prefix(const std::string& prefix);

}  // namespace slipway::node
