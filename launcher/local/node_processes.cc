// Starts and stops the nodes of a deployment.
#include "launcher/local/node_processes.h"

#include <fmt/core.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>

#include "common/child.h"
#include "common/error.h"
#include "common/pidfd.h"
#include "common/process.h"
#include "launcher/local/message.h"
#include "launcher/local/namespaces.h"
#include "launcher/local/network.h"

namespace slipway::local {
namespace {

// If more nodes started at once, they would take so much from each other that daemons miss the time
// limits of their start. Each also takes a descriptor until `ip` is done, and these are limited.
constexpr size_t started_at_once = 64;

constexpr const char* ended_early = "it ended while it was starting";

}  // namespace

NodeProcesses::NodeProcesses(const Plan& plan, const NodeSurroundings& surroundings)
    : plan_(plan), surroundings_(surroundings), states_(plan.nodes.size()) {}

size_t NodeProcesses::index_of(const std::string& name) const {
  const auto found = std::ranges::find(plan_.nodes, name, &PlannedNode::name);
  if (found == plan_.nodes.end()) throw Error(fmt::format("there is no node `{}`", name));
  return static_cast<size_t>(found - plan_.nodes.begin());
}

void NodeProcesses::start_processes(std::span<const size_t> nodes) {
  for (const size_t i : nodes) {
    states_[i].process = start_local_node(plan_.nodes[i], plan_, surroundings_);
    states_[i].power = Power::starting;
  }
  connect(nodes);
  for (const size_t i : nodes) say(i, "network");
}

void NodeProcesses::connect(std::span<const size_t> nodes) {
  std::string ports;
  std::vector<Fd> networks;
  for (const size_t i : nodes) {
    const Fd& network = networks.emplace_back(network_namespace_of(pid(i)));
    ports += ports_batch(plan_.nodes[i], plan_.nodes[i].slot, network.get(), plan_.bridges);
  }
  run_ip(ports);
}

void NodeProcesses::say(size_t node, const char* go) {
  try {
    send_message(states_[node].process.channel.get(), {{"go", go}});
  } catch (const Error&) {
    // The node has ended. Its final message is read below.
  }
}

// Waits until a node reports `state`. Throws Error with the node's name and reason.
void NodeProcesses::wait_for_state(size_t node, const std::string& state) {
  const std::string& name = plan_.nodes[node].name;
  const auto message = receive_message(states_[node].process.channel.get());
  if (!message) throw Error(fmt::format("node {} ended while it was starting", name));
  if (message->body.contains("error")) {
    throw Error(fmt::format("node {}: {}", name, message->body["error"].get<std::string>()));
  }
  if (message->body.value("state", "") != state) {
    throw Error(fmt::format("node {} sent an unexpected message", name));
  }
}

void NodeProcesses::bring_up(const std::function<void(const std::string&)>& started) {
  std::vector<size_t> all;
  for (size_t i = 0; i < states_.size(); ++i) {
    if (!plan_.nodes[i].on_demand) all.push_back(i);
  }
  const auto finish = [&](std::span<const size_t> nodes) {
    for (const size_t i : nodes) say(i, "services");
    for (const size_t i : nodes) {
      wait_for_state(i, "started");
      states_[i].power = Power::on;
      states_[i].process.channel.reset();
      started(plan_.nodes[i].name);
    }
  };
  for (std::span<const size_t> left = all; !left.empty();) {
    const std::span<const size_t> some = left.first(std::min(left.size(), started_at_once));
    try {
      start_processes(some);
    } catch (const Error&) {
      throw_own_error(all);
      throw;
    }
    for (const size_t i : some) wait_for_state(i, "prepared");
    const size_t controllers = left.size() == all.size() ? 1 : 0;  // the others need its services
    finish(some.first(controllers));
    finish(some.subspan(controllers));
    left = left.subspan(some.size());
  }
}

// If one of the nodes has ended by itself, its own error explains more than the failures that
// follow from it.
void NodeProcesses::throw_own_error(const std::vector<size_t>& nodes) {
  for (const size_t i : nodes) end_process_of(i);
  for (const size_t i : nodes) {
    const std::string wrong = last_error(states_[i].process.channel, "");
    if (!wrong.empty()) throw Error(fmt::format("node {}: {}", plan_.nodes[i].name, wrong));
  }
}

void NodeProcesses::power_on(size_t node) {
  if (states_[node].power != Power::off) return;
  try {
    start_processes({&node, 1});
  } catch (const Error& error) {
    // If the node has ended by itself, its own error explains more.
    end_process_of(node);
    const std::string wrong = last_error(states_[node].process.channel, error.what());
    forget(node);
    throw Error(wrong);
  }
}

void NodeProcesses::power_off(const std::vector<size_t>& nodes) {
  std::vector<size_t> starting;
  for (const size_t i : nodes) {
    if (power(i) == Power::starting) starting.push_back(i);
  }
  drop(nodes);
  for (const size_t i : starting) end_of_start(i, "it was powered off while it was starting");
}

void NodeProcesses::discard(const std::vector<size_t>& nodes) {
  power_off(nodes);
  for (const size_t i : nodes) {
    std::filesystem::remove_all(surroundings_.gpus / plan_.nodes[i].name);
    std::filesystem::remove_all(surroundings_.health / plan_.nodes[i].name);
  }
}

void NodeProcesses::drop(const std::vector<size_t>& nodes) {
  for (const size_t i : nodes) {
    if (pid(i) > 0) ::kill(pid(i), SIGKILL);
  }
  for (const size_t i : nodes) {
    end_process_of(i);
    if (power(i) != Power::off) forget(i);
  }
}

void NodeProcesses::end_process_of(size_t node) {
  if (pid(node) == 0) return;
  ::kill(pid(node), SIGKILL);
  wait_for_child(pid(node));
}

bool NodeProcesses::any_starting() const {
  return std::ranges::find(states_, Power::starting, &State::power) != states_.end();
}

void NodeProcesses::adopt(Plan& plan, Plan wanted) {
  std::vector<size_t> gone;
  for (size_t i = 0; i < plan.nodes.size(); ++i) {
    if (std::ranges::find(wanted.nodes, plan.nodes[i].name, &PlannedNode::name) ==
        wanted.nodes.end()) {
      gone.push_back(i);
    }
  }
  discard(gone);
  std::vector<State> states(wanted.nodes.size());
  for (size_t i = 0; i < states.size(); ++i) {
    const auto before = std::ranges::find(plan.nodes, wanted.nodes[i].name, &PlannedNode::name);
    if (before == plan.nodes.end()) continue;
    states[i] = std::move(states_[static_cast<size_t>(before - plan.nodes.begin())]);
  }
  states_ = std::move(states);
  plan = std::move(wanted);
}

void NodeProcesses::run_in_each(const std::function<void()>& body) const {
  for (const State& state : states_) {
    if (state.power != Power::on) continue;
    const Fd pidfd = open_pidfd(state.process.pid);
    if (!pidfd) continue;
    const pid_t child = start_in_namespaces_of(pidfd.get(), node_namespaces(), [&] {
      body();
      ::_exit(0);
    });
    wait_for_child(child);
  }
}

bool NodeProcesses::ended(pid_t pid) {
  const auto found =
      std::ranges::find_if(states_, [&](const State& state) { return state.process.pid == pid; });
  if (pid <= 0 || found == states_.end()) return false;
  const auto node = static_cast<size_t>(found - states_.begin());
  const Power before = found->power;
  const std::string wrong =
      before == Power::starting ? last_error(found->process.channel, ended_early) : "";
  forget(node);
  if (before == Power::starting) end_of_start(node, wrong);
  return true;
}

// The last error that an ended node reported, or `wrong` if it reported none.
std::string NodeProcesses::last_error(const Fd& channel, std::string wrong) {
  try {
    while (channel) {
      const auto message = receive_message(channel.get());
      if (!message) break;
      wrong = message->body.value("error", wrong);
    }
  } catch (const Error&) {
    // No more messages.
  }
  return wrong;
}

void NodeProcesses::add_channels(std::vector<pollfd>& fds) const {
  for (const State& state : states_) {
    if (state.power == Power::starting) fds.push_back({state.process.channel.get(), POLLIN, 0});
  }
}

void NodeProcesses::hear_channel(int fd) {
  const auto found = std::ranges::find_if(states_, [&](const State& state) {
    return state.power == Power::starting && state.process.channel.get() == fd;
  });
  if (found == states_.end()) return;
  const auto node = static_cast<size_t>(found - states_.begin());
  std::string wrong = "it ended while it was starting";
  try {
    if (const auto message = receive_message(fd)) {
      const std::string state = message->body.value("state", "");
      wrong = message->body.value("error", "");
      if (state == "prepared") {
        say(node, "services");
        return;
      }
      if (state == "started") {
        found->power = Power::on;
        found->process.channel.reset();
        end_of_start(node, "");
        return;
      }
    }
  } catch (const Error& error) {
    wrong = error.what();
  }
  drop({node});
  end_of_start(node, wrong);
}

void NodeProcesses::forget(size_t node) {
  states_[node] = {};
  clean_up(node);
}

// A node leaves its changes, which use memory, and for a moment the bridge ends of its interfaces:
// the kernel takes time to remove a network namespace that has no processes left.
void NodeProcesses::clean_up(size_t node) {
  std::error_code ignored;
  std::filesystem::remove_all(surroundings_.run / plan_.nodes[node].name, ignored);
  run_process(
      {"/sbin/ip", "-force", "-batch", "-"},
      {.input = remove_ports_batch(plan_.nodes[node], plan_.nodes[node].slot, plan_.bridges)});
}

void NodeProcesses::end_of_start(size_t node, const std::string& wrong) {
  if (on_end_of_start) on_end_of_start(node, wrong);
}

}  // namespace slipway::local
