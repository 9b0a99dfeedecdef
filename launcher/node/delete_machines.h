// Deletes machines, many at a time.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "launcher/node/compute.h"

namespace slipway::node {

// Requests the deletion of machines (zone by name) and does not wait for it to end. What the
// service refuses for now, because there are too many requests or it has trouble of its own, is
// requested again until the patience ends. Returns why the others could not be deleted; machines
// that do not exist are not among them.
std::map<std::string, std::string> delete_machines(Compute& compute,
                                                   const std::map<std::string, std::string>& zones);

}  // namespace slipway::node
