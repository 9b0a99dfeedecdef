// Compact placement policies: machines that have the same one are put close together.
// https://docs.cloud.google.com/compute/docs/instances/use-compact-placement-policies
#pragma once

#include <string>
#include <vector>

#include "launcher/node/compute.h"
#include "launcher/node/metadata.h"

namespace slipway::node {

// Makes a policy, and waits for it. One that exists already is used. Throws Refused, or Error.
void make_policy(Compute& compute, const std::string& region, const std::string& name,
                 const Placement& placement);

// Deletes policies. Those that machines still have are kept, and returned; so are those that cannot
// be deleted for another reason, which is reported to the patience.
std::vector<std::string> delete_policies(Compute& compute, const std::string& region,
                                         std::vector<std::string> names);

}  // namespace slipway::node
