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
// flex-start machines are made together. It has an instance template of its own: a request to a
// group cannot change the nodeset's.
struct FlexRequest {
  std::string name;          // of the group and of its template: "c-gpu-flex-12-0a1b2c"
  std::string place;         // "zones/us-central1-a"
  nlohmann::json create;     // the body of the group, until it is sent
  nlohmann::json resize;     // the body of the resize request, until it is sent
  nlohmann::json operation;  // under way; null: none
  std::string operation_place = "global";  // where it is

  std::string group() const { return place + "/instanceGroupManagers/" + name; }
  std::string instance_template() const { return "global/instanceTemplates/" + name; }
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

// Deletes a group of flex-start machines with its machines, and its template. Reports trouble to
// the patience.
void delete_flex_group(Compute& compute, const std::string& place, const std::string& name);

// What the names of all flex-start groups of a nodeset begin with: `prefix` is "c-gpu-".
std::string flex_prefix(const std::string& prefix);

}  // namespace slipway::node
