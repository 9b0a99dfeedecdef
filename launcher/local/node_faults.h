// Begins, records and undoes the faults of a deployment's nodes, for its supervisor.
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
  // `gpus`: the folder of the GPUs' states (gpu_state.h). The caller keeps ownership of the other
  // arguments.
  NodeFaults(const Plan& plan, NodeProcesses& nodes, std::filesystem::path gpus)
      : plan_(plan), nodes_(nodes), gpus_(std::move(gpus)) {}

  // Throws Error, and records nothing, if the node cannot have this fault.
  void begin(size_t node, const Fault& fault);

  // Undoes the active faults whose text begins with the words in `which`; all if it is empty.
  // Throws Error if none match.
  void clear(size_t node, const std::string& which);

  std::vector<std::string> active(size_t node) const;

  // Whether a fault holds the node's power off.
  bool holds_power(size_t node) const;

  // Call after a node started: forgets faults that a restart repairs, and reapplies hardware
  // faults.
  void node_started(size_t node);

  // Call after NodeProcesses::discard(): faults of GPUs go with them.
  void discarded(const std::vector<size_t>& nodes);

 private:
  void apply(size_t node, const Fault& fault);
  void undo(size_t node, const Fault& fault);
  void change(size_t node, const Fault& fault, bool begin);
  void limit_link(size_t node, const Fault& fault, const std::string& rate);  // "": no limit
  std::string our_end(size_t node, const std::string& interface) const;

  const Plan& plan_;
  NodeProcesses& nodes_;
  std::filesystem::path gpus_;
  std::map<std::string, std::vector<Fault>> active_;  // by node name
};

}  // namespace slipway::local
