// Finds dead nodes so that Slurm learns about them early: until then, an ended
// job hangs in COMPLETING, for minutes with Slurm's own SlurmdTimeout.
//
// Only nodes that Slurm waits for are probed: those that are completing a job or do not respond. A
// node is dead if its kernel has neither accepted nor refused a connection for a while. An
// overloaded node accepts it, a node whose slurmd is restarting refuses it, and Slurm itself knows
// about nodes whose power it changes. On a node that runs no other job, slurmd itself has to
// answer: a kernel may accept connections although every program is stuck.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace slipway::node {

// A node as `sinfo --Node --Format=NodeHost:|,StateComplete:|,Reason:|` reports it.
struct NodeState {
  std::string node;
  std::set<std::string> flags;  // "allocated", "completing", "not_responding", …
  std::string reason;           // why it was drained; empty if it was not

  bool is_waited_for() const;  // by Slurm, and it is not powered off
  bool runs_jobs() const;      // besides those that it is completing
};
std::vector<NodeState> parse_node_states(std::string_view text);

// The nodes that are down for this reason only, and so may come back. Excludes nodes whose power
// Slurm changes and nodes that were drained meanwhile.
std::vector<std::string> down_for(std::string_view reason, const std::vector<NodeState>& states);

// What answered on a node: a kernel that accepts connections or refuses them, or the daemon too.
enum class Answer { kernel, refusal, daemon };
using Answers = std::map<std::string, Answer>;

class DeadNodes {
 public:
  using Clock = std::chrono::steady_clock;

  // Together with the watch's `interval_while_waiting` this stays below Slurm's KillWait of 30 s
  // from when Slurm begins to wait: docs/decisions/0041-dead-nodes.md.
  static constexpr std::chrono::seconds dead_after{12};
  static constexpr std::chrono::seconds probe_again_after{30};  // for a node that answered
  static constexpr int probes = 3;

  // Takes Slurm's current states and returns the nodes to probe: those that Slurm waits for the
  // second time in a row, unless they answered recently.
  std::vector<std::string> to_probe(const std::vector<NodeState>& states, Clock::time_point now);

  // Takes the answers of the probed nodes and returns the nodes that are dead. Returns none if that
  // would be more than half of the cluster's nodes that are up: then it is probably our own network
  // that is broken.
  std::vector<std::string> dead(const std::set<std::string>& probed, const Answers& answers,
                                Clock::time_point now);

  // Do not probe this node again soon: it is not dead after all.
  void mark_alive(const std::string& node, Clock::time_point now);

 private:
  struct Waited {
    bool again = false;                   // Slurm already waited for it the last time
    bool runs_jobs = false;               // jobs to protect: an answer from its kernel is enough
    int unanswered = 0;                   // unanswered probes in a row
    Clock::time_point probed = {};        // last probe
    Clock::time_point silent_since = {};  // first unanswered probe
    Clock::time_point next = {};
  };
  std::map<std::string, Waited> waited_;
  size_t up_ = 0;
};

// Probes the hosts for up to `limit`. A kernel accepts a connection to the port, and the daemon
// closes it after us. A kernel that refuses it is alive, so the daemon may soon be. A host whose
// name does not resolve has not answered.
Answers probe_hosts(const std::vector<std::string>& hosts, int port,
                    std::chrono::milliseconds limit);

// Watches forever, on the controller, as root. `confirm` returns those of the given nodes that are
// known to be off from another source; without it, silence is enough. `say` receives log lines.
struct Watch {
  std::function<std::vector<std::string>(const std::vector<std::string>&)> confirm;
  std::function<void(const std::string&)> say;
};
[[noreturn]] void watch_nodes(const Watch& watch);

}  // namespace slipway::node
