// Starts and stops the nodes of a deployment, for its supervisor. Each node is off, starting or on.
#pragma once

#include <poll.h>
#include <sys/types.h>

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "launcher/local/local_node.h"
#include "launcher/local/plan.h"

namespace slipway::local {

enum class Power { off, starting, on };

class NodeProcesses {
 public:
  // The caller keeps ownership of `plan` and `surroundings`.
  NodeProcesses(const Plan& plan, const NodeSurroundings& surroundings);

  // Starts all nodes that are always on, the controller's services first, and calls `started` with
  // the name of each. Throws Error with the name and the reason of the first that cannot start.
  void bring_up(const std::function<void(const std::string& node)>& started);

  // Index into the plan's nodes. Throws Error if there is no such node.
  size_t index_of(const std::string& name) const;

  Power power(size_t node) const { return states_[node].power; }
  pid_t pid(size_t node) const { return states_[node].process.pid; }

  // Starts a node that is off, and returns at once: `on_end_of_start` is called with the result.
  // Throws Error if the start cannot even begin.
  void power_on(size_t node);

  // Ends nodes and everything on them, as if their power failed. Nodes that are off stay off.
  void power_off(const std::vector<size_t>& nodes);

  // The same, and other machines take their place: their GPUs, and what their disks remember, are
  // gone. Throws std::filesystem::filesystem_error.
  void discard(const std::vector<size_t>& nodes);

  bool any_starting() const;

  // Replaces the plan. Nodes in both plans keep their state; others are discarded. Call it only
  // while no node is starting. `plan` is the constructor's.
  void adopt(Plan& plan, Plan wanted);

  // Runs `body` in a process in each node that is on, one after another.
  void run_in_each(const std::function<void()>& body) const;

  // Adds the channels of starting nodes to a poll set; then the function to call when `fd` is
  // readable.
  void add_channels(std::vector<pollfd>& fds) const;
  void hear_channel(int fd);

  // Call for each child that has ended. True if it was a node's PID 1.
  bool ended(pid_t pid);

  // `wrong` is empty if the node is on.
  std::function<void(size_t node, const std::string& wrong)> on_end_of_start;

 private:
  struct State {
    Power power = Power::off;
    LocalNode process;
  };

  void start_processes(std::span<const size_t> nodes);
  void connect(std::span<const size_t> nodes);
  void say(size_t node, const char* go);
  void wait_for_state(size_t node, const std::string& state);
  void drop(const std::vector<size_t>& nodes);
  void end_process_of(size_t node);
  void throw_own_error(const std::vector<size_t>& nodes);
  static std::string last_error(const Fd& channel, std::string wrong);
  void forget(size_t node);
  void clean_up(size_t node);
  void end_of_start(size_t node, const std::string& wrong);

  const Plan& plan_;
  const NodeSurroundings& surroundings_;
  std::vector<State> states_;  // in the order of plan_.nodes
};

}  // namespace slipway::local
