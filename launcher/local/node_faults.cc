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
  return kind_of(fault).ends_with_power;
}

bool holds_power_off(const Fault& fault) {
  return kind_of(fault).effect == Effect::power;
}

bool is_of_link(const Fault& fault) {
  const Effect effect = kind_of(fault).effect;
  return effect == Effect::link_down || effect == Effect::link_rate;
}

bool is_of_gpus(const Fault& fault) {
  const Effect effect = kind_of(fault).effect;
  return effect == Effect::gpu || effect == Effect::driver || effect == Effect::xid;
}

bool needs_power(const Fault& fault) {
  return !holds_power_off(fault) && !is_of_gpus(fault);
}

}  // namespace

void NodeFaults::begin(size_t node, const Fault& fault) {
  const PlannedNode& planned = plan_.nodes[node];
  if (planned.role == "controller" && holds_power_off(fault)) {
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
  return faults != active_.end() && std::ranges::any_of(faults->second, holds_power_off);
}

void NodeFaults::node_started(size_t node) {
  const auto faults = active_.find(plan_.nodes[node].name);
  if (faults == active_.end()) return;
  std::erase_if(faults->second, ends_with_power);
  for (const Fault& fault : faults->second) {
    if (is_of_link(fault)) apply(node, fault);
  }
}

void NodeFaults::discarded(const std::vector<size_t>& nodes) {
  for (const size_t i : nodes) std::erase_if(active_[plan_.nodes[i].name], is_of_gpus);
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

void NodeFaults::limit_link(size_t node, const Fault& fault, const std::string& rate) {
  const std::string end = our_end(node, fault.arguments[0]);
  limit_sending(nodes_.pid(node), fault.arguments[0], rate);
  limit_rate(end, rate);
}

void NodeFaults::change(size_t node, const Fault& fault, bool begin) {
  const pid_t pid = nodes_.pid(node);
  switch (kind_of(fault).effect) {
    case Effect::power:
      if (begin) nodes_.power_off({node});
      break;
    case Effect::freeze:
      freeze(pid, begin);
      break;
    case Effect::link_down:
      run_ip(fmt::format("link set {} {}\n", our_end(node, fault.arguments[0]),
                         begin ? "down" : "up"));
      break;
    case Effect::link_rate:
      limit_link(node, fault, begin ? fault.arguments[1] : "");
      break;
    case Effect::disk_full:
      fill_folder(pid, fault.arguments[0], begin);
      break;
    case Effect::daemon_killed:
      keep_daemon_away(pid, fault.arguments[0], begin);
      break;
    case Effect::kernel_log:
      if (begin) say_in_kernel_log(gpus_, plan_.nodes[node], kernel_line(fault.arguments[0]));
      break;
    case Effect::gpu:
    case Effect::driver:
    case Effect::xid:
      change_gpus(gpus_, plan_.nodes[node], fault, begin);
      break;
  }
}

void NodeFaults::apply(size_t node, const Fault& fault) {
  change(node, fault, true);
}

// If the node is off, a fault that needs its power is gone already.
void NodeFaults::undo(size_t node, const Fault& fault) {
  if (needs_power(fault) && nodes_.pid(node) == 0) return;
  change(node, fault, false);
}

}  // namespace slipway::local
