// Deletes machines and what else the cloud has, many at a time.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "launcher/node/compute.h"

namespace slipway::node {

// Requests the deletion of resources by their URLs and does not wait for it to end. What the
// service refuses for now, because there are too many requests or it has trouble of its own, is
// requested again until the patience ends. Returns why the others could not be deleted, by URL;
// those that do not exist are not among them.
std::map<std::string, std::string> delete_all(Cloud& cloud, const std::vector<std::string>& urls,
                                              const Patience& patience);

// The same for machines of a project (zone by name). Returns the reasons by name.
std::map<std::string, std::string> delete_machines(Compute& compute,
                                                   const std::map<std::string, std::string>& zones);

}  // namespace slipway::node
