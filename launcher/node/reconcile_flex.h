// Which groups of flex-start machines no program looks after any more.
#pragma once

#include <vector>

#include "launcher/node/flex_groups.h"
#include "launcher/node/reconcile.h"

namespace slipway::node {

// A group, and the nodes that it makes or has made.
struct GroupOfNodes {
  MadeGroup group;
  std::set<std::string> nodes;
};

// The groups that have been without a machine, and without a node that is powering up, for the time
// in `graces.policy`: a group is made some time before its request for machines.
std::vector<MadeGroup> unused_groups(const Situation& situation,
                                     const std::vector<GroupOfNodes>& groups, Memory& memory,
                                     const Memory& before);

}  // namespace slipway::node
