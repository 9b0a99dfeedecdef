// Begins, records and undoes the faults of a deployment's nodes.
#include "launcher/local/node_faults.h"

#include <fmt/core.h>

#include <algorithm>

#include "common/error.h"
#include "common/text.h"
#include "launcher/local/fault_effects.h"
#include "launcher/local/gpu_state.h"
#include "launcher/local/network.h"

namespace slipway::local {
namespace {

bool ends_with_power(const Fault& fault) {
  return std::ranges::find(fault_kinds(), fault.kind, &FaultKind::name)->ends_with_power;
}

bool needs_power(const Fault& fault) {
  return fault.kind != "power-off" && !fault.kind.starts_with("nvml-") &&
         !fault.kind.starts_with("gpu-");
}

}  // namespace

void NodeFaults::begin(size_t node, const Fault& fault) {
  const PlannedNode& planned = plan_.nodes[node];
  if (planned.role == "controller" && fault.kind == "power-off") {
    throw Error("the controller cannot be powered off: everything else asks it about jobs");
  }
  if (needs_power(fault) && nodes_.power(node) != Power::on) {
    throw Error(fmt::format("node {} is off", planned.name));
  }
  apply(node, fault);
  std::vector<Fault>& faults = active_[planned.name];
  std::erase_if(faults, [&](const Fault& other) { return other.key() == fault.key(); });
  faults.push_back(fault);
}

void NodeFaults::clear(size_t node, const std::string& which) {
  std::vector<Fault>& faults = active_[plan_.nodes[node].name];
  bool any = false;
  for (auto fault = faults.begin(); fault != faults.end();) {
    if (!which.empty() && !(fault->text() + " ").starts_with(which + " ")) {
      ++fault;
      continue;
    }
    undo(node, *fault);
    fault = faults.erase(fault);
    any = true;
  }
  if (any) return;
  throw Error(which.empty()
                  ? fmt::format("node {} has no fault", plan_.nodes[node].name)
                  : fmt::format("node {} has no fault `{}`", plan_.nodes[node].name, which));
}

std::vector<std::string> NodeFaults::active(size_t node) const {
  std::vector<std::string> texts;
  const auto faults = active_.find(plan_.nodes[node].name);
  if (faults == active_.end()) return texts;
  const bool off = nodes_.power(node) == Power::off;
  for (const Fault& fault : faults->second) {
    if (!off || !ends_with_power(fault)) texts.push_back(fault.text());
  }
  return texts;
}

bool NodeFaults::holds_power(size_t node) const {
  const auto faults = active_.find(plan_.nodes[node].name);
  return faults != active_.end() &&
         std::ranges::find(faults->second, "power-off", &Fault::kind) != faults->second.end();
}

void NodeFaults::node_started(size_t node) {
  const auto faults = active_.find(plan_.nodes[node].name);
  if (faults == active_.end()) return;
  std::erase_if(faults->second, ends_with_power);
  for (const Fault& fault : faults->second) {
    if (fault.kind.starts_with("link-")) apply(node, fault);
  }
}

// The bridge end of a node's interface.
std::string NodeFaults::our_end(size_t node, const std::string& interface) const {
  const std::vector<Port>& ports = plan_.nodes[node].ports;
  const auto port = std::ranges::find(ports, interface, &Port::interface);
  if (port != ports.end())
    return fmt::format("n{}p{}", plan_.nodes[node].slot, port - ports.begin());
  std::vector<std::string> known;
  for (const Port& one : ports) known.push_back(one.interface);
  throw Error(fmt::format("node {} has no interface `{}`; it has {}", plan_.nodes[node].name,
                          interface, join(known, ", ")));
}

void NodeFaults::apply(size_t node, const Fault& fault) {
  const pid_t pid = nodes_.pid(node);
  if (fault.kind == "power-off") {
    nodes_.power_off({node});
  } else if (fault.kind == "hang") {
    freeze(pid, true);
  } else if (fault.kind == "link-down") {
    run_ip(fmt::format("link set {} down\n", our_end(node, fault.arguments[0])));
  } else if (fault.kind == "link-rate") {
    const std::string end = our_end(node, fault.arguments[0]);
    limit_sending(pid, fault.arguments[0], fault.arguments[1]);
    limit_rate(end, fault.arguments[1]);
  } else if (fault.kind == "disk-full") {
    fill_folder(pid, fault.arguments[0], true);
  } else if (fault.kind == "daemon-killed") {
    keep_daemon_away(pid, fault.arguments[0], true);
  } else if (fault.kind == "kernel-log") {
    say_in_kernel_log(gpus_, plan_.nodes[node], kernel_line(fault.arguments[0]));
  } else {
    change_gpus(gpus_, plan_.nodes[node], fault, true);
  }
}

// If the node is off, its fault is gone already.
void NodeFaults::undo(size_t node, const Fault& fault) {
  const pid_t pid = nodes_.pid(node);
  if (!needs_power(fault)) {
    if (fault.kind != "power-off") change_gpus(gpus_, plan_.nodes[node], fault, false);
  } else if (pid == 0) {
    return;
  } else if (fault.kind == "hang") {
    freeze(pid, false);
  } else if (fault.kind == "link-down") {
    run_ip(fmt::format("link set {} up\n", our_end(node, fault.arguments[0])));
  } else if (fault.kind == "link-rate") {
    limit_sending(pid, fault.arguments[0], "");
    limit_rate(our_end(node, fault.arguments[0]), "");
  } else if (fault.kind == "disk-full") {
    fill_folder(pid, fault.arguments[0], false);
  } else if (fault.kind == "daemon-killed") {
    keep_daemon_away(pid, fault.arguments[0], false);
  }
}

}  // namespace slipway::local
