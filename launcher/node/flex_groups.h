// Finds and deletes groups of flex-start machines (launcher/node/making.h). A group that still
// waits for capacity when its program has ended would make machines for nobody.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "launcher/node/compute.h"

namespace slipway::node {

struct MadeGroup {
  std::string place;  // "zones/us-central1-a" or "regions/us-central1"
  std::string name;   // "c-gpu-flex-12-0a1b2c"

  std::string path() const { return place + "/instanceGroupManagers/" + name; }
};

// The nodeset in the name of a group, or of its template; empty for other names.
std::string nodeset_of_flex(const std::string& cluster, const std::string& name);

// The cluster's groups in a project. Throws Error unless the list is complete.
std::vector<MadeGroup> list_flex_groups(Compute& compute, const std::string& cluster);

// The nodes that a group makes or has made: those of its resize request. Throws Error.
std::set<std::string> nodes_of_group(Compute& compute, const MadeGroup& group);

// Deletes groups with their machines, and waits until they are gone; then the templates of all of
// the cluster's groups in the project that are gone. Throws Error.
void delete_flex_groups(Compute& compute, const std::string& cluster,
                        const std::vector<MadeGroup>& groups);

}  // namespace slipway::node
