// Tests of which groups of flex-start machines nobody needs any more.
#include "launcher/node/reconcile_flex.h"

#include <algorithm>

#include "tests/unit/catch.h"

using namespace slipway::node;

namespace {

using Names = std::vector<std::string>;

// The names of the groups that are unused at a time, when `before` is remembered.
Names unused_at(int64_t now, const std::vector<NodeState>& nodes, const Names& machines,
                const std::vector<GroupOfNodes>& groups, Memory& memory) {
  const ClusterFile cluster;
  MachineList list;
  for (const std::string& name : machines) {
    CloudMachine machine;
    machine.name = name;
    list.machines.push_back(machine);
  }
  const Memory before = memory;
  memory = {};
  Names names;
  for (const MadeGroup& group :
       unused_groups({cluster, nodes, list, {}, now}, groups, memory, before)) {
    names.push_back(group.name);
  }
  return names;
}

}  // namespace

TEST_CASE("reconcile: a group that no node waits for goes after a while") {
  const GroupOfNodes left{{"zones/z", "c-gpu-flex-7-0a1b2c"}, {"c-gpu-0", "c-gpu-1"}};
  const GroupOfNodes runs{{"zones/z", "c-gpu-flex-8-0a1b2c"}, {"c-gpu-2", "c-gpu-3"}};
  const GroupOfNodes waits{{"zones/z", "c-gpu-flex-9-0a1b2c"}, {"c-gpu-4"}};
  const GroupOfNodes fresh{{"zones/z", "c-gpu-flex-10-0a1b2c"}, {}};
  const std::vector<NodeState> nodes = {{"c-gpu-0", {"idle", "powered_down"}, ""},
                                        {"c-gpu-4", {"allocated", "powering_up"}, ""}};
  const Names machines = {"c-gpu-3"};
  Memory memory;
  CHECK(unused_at(1000, nodes, machines, {left, runs, waits}, memory).empty());
  CHECK(unused_at(2000, nodes, machines, {left, runs, waits}, memory).empty());
  CHECK(unused_at(2800, nodes, machines, {left, runs, waits, fresh}, memory) ==
        Names{"c-gpu-flex-7-0a1b2c"});
  // Its machines are gone meanwhile.
  CHECK(unused_at(3000, {}, {}, {runs}, memory).empty());
  CHECK(unused_at(4800, {}, {}, {runs}, memory) == Names{"c-gpu-flex-8-0a1b2c"});
}

TEST_CASE("reconcile: which groups are a cluster's") {
  CHECK(nodeset_of_flex("c", "c-gpu-flex-12-0a1b2c") == "gpu");
  CHECK(nodeset_of_flex("c", "c-gpu-flex-none-0a1b2c") == "gpu");
  CHECK(nodeset_of_flex("c", "c-flex-flex-12-0a1b2c") == "flex");
  for (const char* name :
       {"c-gpu-flex-12-0a1b2", "c-gpu-flex-12-0a1b2g", "c-gpu-flex-x-0a1b2c", "c-flex-12-0a1b2c",
        "d-gpu-flex-12-0a1b2c", "c-a-b-flex-12-0a1b2c", "c-gpu-12-0a1b2c", ""}) {
    CAPTURE(name);
    CHECK(nodeset_of_flex("c", name).empty());
  }
}
