// Which nodes are dead, so that Slurm can be told before it finds out by itself: meanwhile a job
// that has ended hangs in COMPLETING, for minutes with Slurm's own SlurmdTimeout.
//
// Asked about are only nodes that Slurm waits for: those that are completing a job, or do not
// respond. A node is dead when its kernel has not taken or refused a connection for a while. One
// that is merely loaded takes it, one whose slurmd restarts refuses it, and Slurm itself knows of
// those whose power it changes. On a node that runs nothing more, slurmd itself has to answer: a
// kernel may take connections where every program stands still.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace slipway::node {

// What `sinfo --Node --Format=NodeHost:|,StateComplete:|,Reason:|` says of a node.
struct NodeState {
  std::string node;
  std::set<std::string> flags;  // "allocated", "completing", "not_responding", …
  std::string reason;           // of a drain; empty when there is none

  bool is_waited_for() const;  // by Slurm, and nobody has put it off
  bool runs_jobs() const;      // beside those that it completes
};
std::vector<NodeState> parse_node_states(std::string_view text);

// The nodes that are down for this reason, and for nothing else: they may come back. Those whose
// power Slurm changes, or that were drained meanwhile, are not among them.
std::vector<std::string> down_for(std::string_view reason, const std::vector<NodeState>& states);

// Who has answered on a node: a kernel that takes connections, or refuses them, or the daemon, too.
enum class Answer { kernel, refusal, daemon };
using Answers = std::map<std::string, Answer>;

class DeadNodes {
 public:
  using Clock = std::chrono::steady_clock;

  // Together with `interval_while_waiting` of the watch less than Slurm's KillWait of 30 s after
  // Slurm has begun to wait: docs/decisions/0041-dead-nodes.md.
  static constexpr std::chrono::seconds dead_after{12};
  static constexpr std::chrono::seconds look_again_after{30};  // at one that has answered
  static constexpr int looks = 3;

  // Takes in what Slurm says now, and returns the nodes that are to be asked: on the second time
  // that Slurm waits for them, and not again soon when they have answered.
  std::vector<std::string> to_ask(const std::vector<NodeState>& states, Clock::time_point now);

  // Takes in who has answered of those that were asked, and returns the nodes that are dead. None
  // when that would be more than half of the cluster's nodes that are up: then it is our own
  // network that is broken.
  std::vector<std::string> dead(const std::set<std::string>& asked, const Answers& answers,
                                Clock::time_point now);

  // A node that is not dead after all is not asked again soon.
  void is_alive(const std::string& node, Clock::time_point now);

 private:
  struct Waited {
    bool again = false;                   // Slurm waits for it not only since now
    bool runs_jobs = false;               // its kernel speaks for it: they are not to be lost
    int in_vain = 0;                      // looks in a row
    Clock::time_point asked = {};         // last
    Clock::time_point silent_since = {};  // asked first in vain
    Clock::time_point next = {};
  };
  std::map<std::string, Waited> waited_;
  size_t up_ = 0;
};

// Who answers on the hosts within `limit`: a kernel takes a connection to the port, and the daemon
// ends it after us. A kernel that refuses it is alive, and so may the daemon be soon. A host that
// cannot be found by its name has not answered.
Answers who_answers(const std::vector<std::string>& hosts, int port,
                    std::chrono::milliseconds limit);

// Watches for ever, on the controller, as root. `confirm` returns those of some nodes that are
// known to be off by other means, too; without it, silence is enough. `say` takes lines of a log.
struct Watch {
  std::function<std::vector<std::string>(const std::vector<std::string>&)> confirm;
  std::function<void(const std::string&)> say;
};
[[noreturn]] void watch_nodes(const Watch& watch);

}  // namespace slipway::node
