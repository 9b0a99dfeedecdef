// The faults of a deployment's nodes, which its supervisor keeps and undoes.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "launcher/local/fault.h"
#include "launcher/local/node_processes.h"
#include "launcher/local/plan.h"

namespace slipway::local {

class NodeFaults {
 public:
  // `gpus`: the folder of the GPUs' states (gpu_state.h). The rest stays the caller's.
  NodeFaults(const Plan& plan, NodeProcesses& nodes, std::filesystem::path gpus)
      : plan_(plan), nodes_(nodes), gpus_(std::move(gpus)) {}

  // Throws Error, and nothing is kept, when the node cannot have it.
  void begin(size_t node, const Fault& fault);

  // Undoes the active faults whose text begins with the words of `which`; all of them when it is
  // empty. Throws Error when there is none.
  void clear(size_t node, const std::string& which);

  std::vector<std::string> active(size_t node) const;

  // Whether the node's power is held off.
  bool holds_power(size_t node) const;

  // To be told: what a start makes good is no fault any more, what is in its hardware is put back.
  void node_started(size_t node);

 private:
  void apply(size_t node, const Fault& fault);
  void undo(size_t node, const Fault& fault);
  std::string our_end(size_t node, const std::string& interface) const;

  const Plan& plan_;
  NodeProcesses& nodes_;
  std::filesystem::path gpus_;
  std::map<std::string, std::vector<Fault>> active_;  // by the node's name
};

}  // namespace slipway::local
