// The nodes of a deployment as its supervisor runs them: each is off, starting or on.
#pragma once

#include <poll.h>
#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

#include "launcher/local/local_node.h"
#include "launcher/local/plan.h"

namespace slipway::local {

enum class Power { off, starting, on };

class NodeProcesses {
 public:
  // `plan` and `surroundings` stay the caller's.
  NodeProcesses(const Plan& plan, const NodeSurroundings& surroundings);

  // Starts all nodes that are always on, the controller's services first, and calls `started` with
  // the name of each. Throws Error with the name and the reason of the first that cannot start.
  void bring_up(const std::function<void(const std::string& node)>& started);

  // Index into the plan's nodes. Throws Error when there is no such node.
  size_t index_of(const std::string& name) const;

  Power power(size_t node) const { return states_[node].power; }
  pid_t pid(size_t node) const { return states_[node].process.pid; }

  // Starts a node that is off and returns at once: `on_end_of_start` is called when it is known how
  // that went. Throws Error when not even that can be done.
  void power_on(size_t node);

  // Ends nodes, whatever runs on them, as if their power failed; those that are off stay so.
  void power_off(const std::vector<size_t>& nodes);

  bool any_starting() const;

  // The plan becomes another one. Nodes of both stay as they are, on or off; those that are no more
  // are put off. To be called while no node is starting. `plan` is the one of the constructor.
  void adopt(Plan& plan, Plan wanted);

  // Runs `body` in a process in each node that is on, one after the other.
  void run_in_each(const std::function<void()>& body) const;

  // What is to be polled for nodes that start, and what to call when `fd` has something to read.
  void add_channels(std::vector<pollfd>& fds) const;
  void hear_channel(int fd);

  // To be told of each child that has ended. True when it was a node's PID 1.
  bool ended(pid_t pid);

  // `wrong` is empty when the node is on.
  std::function<void(size_t node, const std::string& wrong)> on_end_of_start;

 private:
  struct State {
    Power power = Power::off;
    LocalNode process;
  };

  void start_processes(const std::vector<size_t>& nodes);
  void say(size_t node, const char* go);
  void hear(size_t node, const std::string& state);
  void drop(const std::vector<size_t>& nodes);
  void end_process_of(size_t node);
  void throw_last_word(const std::vector<size_t>& nodes);
  static std::string last_word(const Fd& channel, std::string wrong);
  void forget(size_t node);
  void clean_up(size_t node);
  void end_of_start(size_t node, const std::string& wrong);

  const Plan& plan_;
  const NodeSurroundings& surroundings_;
  std::vector<State> states_;  // in the order of plan_.nodes
};

}  // namespace slipway::local
