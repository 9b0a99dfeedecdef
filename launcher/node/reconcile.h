// Keeps Slurm, the cloud and cluster.json in agreement: docs/guides/google-cloud.md.
//
// The plan is a function of what Slurm says, what the cloud says, what cluster.json wants and what
// the last run remembered. It does nothing itself, so that every case can be tested:
// reconcile_run.h does it.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "launcher/node/dead_nodes.h"
#include "launcher/node/machine_list.h"
#include "launcher/node/metadata.h"

namespace slipway::node {

// The beginning of every reason that we give Slurm. Only such a state is undone by us.
inline constexpr std::string_view own_reason = "slipway: ";

// How long something has to last, in seconds, before it counts.
struct Graces {
  int64_t gone = 60;     // a node is up, and the cloud has no machine for it, or only a stopped one
  int64_t orphan = 300;  // a machine, and no node that wants it
  int64_t silent = 900;  // a machine runs, and its node is down because it did not answer
  int64_t failed = 120;  // a node that could not be started is made available again
  int64_t policy = 1800;  // a placement policy without machines
  Graces at_most(int64_t seconds) const;
};

// Repeated attempts at one thing: each waits twice as long as the one before, up to an hour.
struct Attempts {
  int count = 0;
  int64_t next = 0;  // seconds since 1970
  void add(int64_t now);
};

// What one run leaves for the next.
struct Memory {
  std::map<std::string, int64_t> since;      // "gone NODE": when it was first seen
  std::map<std::string, Attempts> attempts;  // "start NODE"
  std::map<std::string, int64_t> templates;  // by link: when it was made
  std::set<std::string> reservations;        // that we made
  int64_t policies_checked = 0;
  std::string refused_configuration;  // digest of Slurm's files that slurmctld did not take
  std::set<std::string> said;         // problems that were reported, and still exist
};

struct Situation {
  const ClusterFile& cluster;
  const std::vector<NodeState>& nodes;
  const MachineList& machines;
  Graces graces;
  int64_t now = 0;
};

struct Step {
  enum class Kind {
    down,        // sets it down: Slurm requeues its jobs
    power_down,  // its machine is deleted
    power_up,    // a machine is made
    replace,     // drained; when its jobs have ended, it is powered down
    available,   // a powered down node that is down becomes usable
    drain,
    resume,
    reserve,   // for `start` to `end`
    release,   // deletes a reservation
    maintain,  // starts the maintenance of its host
    remove,    // deletes a machine that no node wants
  };
  Kind kind{};
  std::string name;               // of the node, machine or reservation
  std::string why;                // the reason for Slurm, or for the log
  bool if_gone = false;           // only if another question to the cloud finds no machine, either
  std::string project{}, zone{};  // of the machine
  int64_t start = 0, end = 0;
  auto operator<=>(const Step&) const = default;
};

struct Plan {
  std::vector<Step> steps;  // in the order to take them
  Memory memory;
};
Plan plan_steps(const Situation& situation, const Memory& memory);

// The parts of the plan. Each adds its steps.
class Planner {
 public:
  Planner(const Situation& situation, const Memory& memory);
  Plan result() &&;

 private:
  // What is known about the machine of a node.
  enum class Machine { unknown, none, running, stopping, off, repairing };
  struct Node {
    const NodeState& state;
    const Nodes* nodeset;         // null: no longer in the cluster
    int number;                   // in its nodeset
    const CloudMachine* machine;  // null: none
    Machine status;
    bool has(const char* flag) const { return state.flags.contains(flag); }
    bool is_static() const;
    bool is_wanted() const;   // by cluster.json
    bool is_moving() const;   // between on and off
    bool is_held() const;     // an administrator or a check has set it down or drained it
    bool is_on_duty() const;  // runs jobs or could
  };
  std::vector<Node> nodes_of(const std::vector<NodeState>& states) const;
  Machine status_of(const Nodes* nodeset, const CloudMachine* machine) const;

  void plan_node(const Node& node);
  void plan_powered_down(const Node& node);
  void plan_without_machine(const Node& node);
  void plan_stopped(const Node& node);
  void plan_twice_started(const Node& node);
  void plan_silent(const Node& node);
  void plan_orphans(const std::vector<Node>& nodes);
  void plan_replacements(const std::vector<Node>& nodes);      // reconcile_replace.cc
  void plan_maintenance(const std::vector<Node>& nodes);       // reconcile_maintenance.cc
  void plan_maintenance_of(const Node& node, bool may_start);  // reconcile_maintenance.cc
  bool is_outdated(const Node& node) const;
  int off_duty(const std::vector<Node>& nodes, const Nodes* nodeset) const;

  void add(Step::Kind kind, const Node& node, std::string why, bool if_gone = false);
  void power_down(const Node& node, const std::string& why, bool if_gone);
  // Remembers since when something has been so; true once that is `grace` ago.
  bool lasts(const std::string& what, int64_t grace);
  // True if it is time for another attempt, which counts.
  bool may_try(const std::string& what);

  const Situation& situation_;
  const Memory& before_;
  std::map<std::string, const CloudMachine*> machines_;  // by name
  Plan plan_;
};

// The nodeset's Slurm name and the number in a node's name; number -1: not the name of a node.
struct NodeName {
  std::string nodeset;
  int number = -1;
};
NodeName parse_node_name(const std::string& cluster, const std::string& name);

// Whether a name is that of a machine that Slurm may have made for this cluster.
bool is_own_machine(const std::string& cluster, const CloudMachine& machine);

// The name of the reservation for a node's maintenance.
std::string reservation_of(const std::string& node, int64_t start);

// Whether a name is that of a placement policy that we made for this cluster, and not for another
// one whose name begins alike: CLUSTER-NODESET-JOB-NUMBER, or CLUSTER-NODESET-static-NUMBER.
bool is_own_policy(const std::string& cluster, const std::string& name);

// Placement policies of this cluster that no machine has had for the grace; also remembers the
// others in `memory`.
std::vector<std::string> unused_policies(const Situation& situation,
                                         const std::vector<std::string>& policies, Memory& memory,
                                         const Memory& before);

}  // namespace slipway::node
