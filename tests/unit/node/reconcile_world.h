// A small cluster for tests of the reconciler: what Slurm, the cloud and cluster.json say about it,
// and the steps that the plan has for it.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "launcher/node/reconcile.h"
#include "launcher/node/reconcile_run.h"

namespace slipway::node::reconcile_tests {

inline constexpr int64_t now = 1'800'000'000;
inline constexpr const char* new_template = "projects/p/global/instanceTemplates/gpu-2";

using StepTexts = std::vector<std::string>;

// Four static nodes and four dynamic ones in two zones.
struct World {
  ClusterFile cluster;
  std::vector<NodeState> nodes;
  MachineList machines;
  Memory memory;
  int64_t time = now;

  World() {
    cluster.cluster = "c";
    cluster.controller_project = "p";
    Nodes gpu;
    gpu.project = "p";
    gpu.zones = {"zone-a", "zone-b"};
    gpu.instance_template = new_template;
    gpu.static_count = 4;
    gpu.dynamic_count = 4;
    cluster.nodesets["gpu"] = gpu;
  }

  World& node(const std::string& name, std::set<std::string> flags, std::string reason = "") {
    flags.insert("cloud");
    nodes.push_back({name, std::move(flags), std::move(reason)});
    return *this;
  }

  CloudMachine& machine(const std::string& name, const std::string& status = "RUNNING") {
    machines.machines.push_back({name, "p", "zone-a", status, "gpu", now - 10'000});
    return machines.machines.back();
  }

  // The steps in one run, without remembering anything for the next.
  StepTexts steps() const {
    StepTexts texts;
    const Graces graces;
    for (const Step& step : plan_steps({cluster, nodes, machines, graces, time}, memory).steps) {
      texts.push_back(text_of(step));
    }
    return texts;
  }

  // The steps after `seconds` in which nothing changed.
  StepTexts steps_after(int64_t seconds) {
    const Graces graces;
    memory = plan_steps({cluster, nodes, machines, graces, time}, memory).memory;
    time += seconds;
    return steps();
  }
};

using StepTexts = std::vector<std::string>;

}  // namespace slipway::node::reconcile_tests
