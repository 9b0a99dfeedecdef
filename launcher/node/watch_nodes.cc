// The watch on the controller that tells Slurm about dead nodes.
#include <fmt/core.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <thread>

#include "common/error.h"
#include "common/fd.h"
#include "common/process.h"
#include "common/tcp.h"
#include "common/text.h"
#include "launcher/node/dead_nodes.h"
#include "launcher/node/services.h"

namespace slipway::node {
namespace {

using Clock = DeadNodes::Clock;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr auto interval = seconds(5);                // between checks while nodes are busy
constexpr auto interval_while_waiting = seconds(2);  // while Slurm waits for a node
constexpr auto idle_interval = seconds(15);          // while no node is busy
constexpr milliseconds answer_limit = seconds(3);
constexpr const char* reason = "slipway: the node is off or out of reach";

std::vector<NodeState> ask_slurm() {
  ProcessOptions options;
  options.deadline = seconds(30);
  return parse_node_states(run_checked({"/usr/bin/sinfo", "--noheader", "--Node", "--all",
                                        "--Format=NodeHost:|,StateComplete:|,Reason:|"},
                                       options));
}

// A connection to a host: in progress, or accepted and waiting for the daemon to close it, as we
// send nothing.
struct Probe {
  std::string host;
  Fd fd;
  bool is_taken = false;
};

// True if nothing more is expected from this host.
bool has_ended(Probe& probe, int code, Answers& answers) {
  if (code == ECONNREFUSED) answers[probe.host] = Answer::refusal;
  if (code == ECONNRESET) answers[probe.host] = Answer::daemon;
  if (code != 0) return true;
  if (!probe.is_taken) {
    probe.is_taken = true;
    answers[probe.host] = Answer::kernel;
    ::shutdown(probe.fd.get(), SHUT_WR);
  }
  char rest = 0;
  const ssize_t got = ::recv(probe.fd.get(), &rest, 1, 0);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return false;
  if (got >= 0 || errno == ECONNRESET) answers[probe.host] = Answer::daemon;
  return true;
}

void begin_question(const std::string& host, int port, std::vector<Probe>& probes,
                    Answers& answers) {
  Addresses addresses = {nullptr, ::freeaddrinfo};
  try {
    addresses = addresses_of(host, port);
  } catch (const Error&) {
    return;  // a deleted machine may no longer have an address
  }
  Probe probe = {host, new_tcp_socket()};
  const int code =
      ::connect(probe.fd.get(), addresses->ai_addr, addresses->ai_addrlen) == 0 ? 0 : errno;
  if (code == EINPROGRESS || !has_ended(probe, code, answers)) probes.push_back(std::move(probe));
}

bool is_busy(const NodeState& state) {
  return state.is_waited_for() || state.runs_jobs();
}

void tell_slurm_of(const std::string& node, const std::vector<NodeState>& states) {
  const auto known = std::ranges::find(states, node, &NodeState::node);
  // If the node was also drained, that reason still applies: keep it.
  const bool keeps =
      known != states.end() && known->flags.contains("drain") && !known->reason.empty();
  ProcessOptions options;
  options.deadline = seconds(30);
  run_checked({"/usr/bin/scontrol", "update", "nodename=" + node, "state=down",
               "reason=" + (keeps ? known->reason : std::string(reason))},
              options);
}

// Makes Slurm ask a node that we set down to register, and use it again once it does: slurmd does
// that by itself only when it starts, and Slurm would ask only after minutes.
void tell_slurm_to_resume(const std::string& node) {
  ProcessOptions options;
  options.deadline = seconds(30);
  run_checked({"/usr/bin/scontrol", "update", "nodename=" + node, "state=resume"}, options);
}

// The nodes that are also known to be off from another source. The others are not probed again
// soon, because confirming takes a call to the cloud.
std::vector<std::string> confirmed(const std::vector<std::string>& dead, DeadNodes& nodes,
                                   const Watch& watch) {
  if (dead.empty() || !watch.confirm) return dead;
  const std::vector<std::string> off = watch.confirm(dead);
  for (const std::string& node : dead) {
    if (std::ranges::find(off, node) == off.end()) nodes.mark_alive(node, Clock::now());
  }
  return off;
}

// Checks the nodes once, and returns the time until the next check.
seconds check_once(DeadNodes& nodes, const Watch& watch) {
  const std::vector<NodeState> states = ask_slurm();
  const std::vector<std::string> probed = nodes.to_probe(states, Clock::now());
  const std::vector<std::string> ours = down_for(reason, states);
  std::vector<std::string> all = probed;
  all.insert(all.end(), ours.begin(), ours.end());
  const Answers answers = probe_hosts(all, slurmd_port, answer_limit);
  const auto dead = nodes.dead({probed.begin(), probed.end()}, answers, Clock::now());
  for (const std::string& node : confirmed(dead, nodes, watch)) {
    tell_slurm_of(node, states);
    watch.say(fmt::format("{} does not answer although Slurm waits for it; setting it down", node));
  }
  for (const std::string& node : ours) {
    const auto answer = answers.find(node);
    if (answer == answers.end() || answer->second != Answer::daemon) continue;
    tell_slurm_to_resume(node);
    watch.say(fmt::format("{} answers again; asking it to register", node));
  }
  if (std::ranges::any_of(states, &NodeState::is_waited_for)) return interval_while_waiting;
  return !ours.empty() || std::ranges::any_of(states, is_busy) ? interval : idle_interval;
}

}  // namespace

Answers probe_hosts(const std::vector<std::string>& hosts, int port, milliseconds limit) {
  Answers answers;
  std::vector<Probe> probes;
  for (const std::string& host : hosts) begin_question(host, port, probes, answers);
  for (const auto end = Clock::now() + limit; !probes.empty();) {
    std::vector<pollfd> fds;
    for (const Probe& each : probes)
      fds.push_back({each.fd.get(), static_cast<short>(each.is_taken ? POLLIN : POLLOUT), 0});
    const auto left = std::chrono::ceil<milliseconds>(end - Clock::now());
    if (left.count() <= 0) break;
    if (::poll(fds.data(), fds.size(), static_cast<int>(left.count())) <= 0) continue;
    for (size_t i = probes.size(); i-- > 0;) {
      if (fds[i].revents == 0) continue;
      if (has_ended(probes[i], error_of(probes[i].fd.get()), answers))
        probes.erase(probes.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  return answers;
}

void watch_nodes(const Watch& watch) {
  DeadNodes nodes;
  std::string said;
  for (;;) {
    seconds pause = interval;
    try {
      pause = check_once(nodes, watch);
      said.clear();
    } catch (const Error& error) {
      // slurmctld may be restarting: report it once.
      if (said != error.what()) watch.say(error.what());
      said = error.what();
    }
    std::this_thread::sleep_for(pause);
  }
}

}  // namespace slipway::node
