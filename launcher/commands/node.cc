// slipway node: what nodes of a cluster do by themselves.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <thread>

#include "common/command_line.h"
#include "common/error.h"
#include "common/node_profile.h"
#include "common/process.h"
#include "common/text.h"
#include "launcher/commands/node_transport.h"
#include "launcher/commands/node_watch.h"
#include "launcher/commands/root_program.h"
#include "launcher/commands/verb.h"
#include "launcher/local/power_socket.h"
#include "launcher/node/boot.h"
#include "launcher/node/metadata_guard.h"
#include "launcher/node/power.h"
#include "launcher/node/reason.h"

namespace slipway::commands {
namespace {

// Less than ResumeTimeout: Slurm is told before it gives up by itself.
constexpr std::chrono::seconds power_deadline{240};

int boot(Args args) {
  int seconds = 600;
  CommandLine line("slipway node boot", "[options]",
                   "Make this machine, which Google Cloud has just started, a part of its cluster: "
                   "the unit slipway-node.service does it at every start.");
  line.option("deadline", "SECONDS", "give up after this long (default 600)", &seconds);
  line.example("slipway node boot", "as root, on a machine that `slipway create` defined");
  line.example("slipway node boot --deadline 60", "to see quickly what is missing");
  if (!line.parse(args)) return 0;
  if (seconds <= 0) throw UsageError("`--deadline` is a number of seconds above 0");
  require_root();
  forget_the_caller();
  node::Cloud cloud;
  node::boot(cloud, std::chrono::seconds(seconds), [](const std::string& what) {
    fmt::print(stderr, "slipway node boot: {}\n", what);
    std::fflush(stderr);
  });
  return 0;
}

int guard(Args args) {
  CommandLine line("slipway node guard", "",
                   "Close this machine's metadata server to every user but root: the unit "
                   "slipway-guard.service does it before the network is up. `slipway node boot` "
                   "then lets those in whom the blueprint names.");
  line.example("slipway node guard", "as root, on a machine that `slipway create` defined");
  if (!line.parse(args)) return 0;
  require_root();
  forget_the_caller();
  node::guard_metadata({}, [](const std::string&) {});
  return 0;
}

// The nodes of one of Slurm's lists, "n-[0-2],m-7".
std::vector<std::string> nodes_of(const std::string& list) {
  std::vector<std::string> nodes =
      split(run_checked({"/usr/bin/scontrol", "show", "hostnames", list},
                        {.input = "", .deadline = std::chrono::seconds(15)}),
            '\n');
  std::erase(nodes, "");
  return nodes;
}

// Whether this is a node of a cluster on one machine: its supervisor has told it so.
bool is_local() {
  std::error_code ignored;
  return std::filesystem::exists(node_profile_path, ignored) &&
         load_node_profile().target == "local";
}

using Change = std::vector<node::Failed> (*)(node::Cloud&, const node::ClusterFile&,
                                             const std::vector<std::string>&,
                                             const node::Patience&);

struct PowerChange {
  const char* what;  // the verb
  const char* does;
  bool on;
  Change in_the_cloud;
};

// In a local cluster its supervisor starts and stops nodes.
std::vector<node::Failed> change_here(const PowerChange& change,
                                      const std::vector<std::string>& nodes) {
  if (change.on) {
    // Slurm compares whole seconds, and takes a node for one that was up before it asked when the
    // node starts within the same one.
    const auto now = std::chrono::system_clock::now();
    std::this_thread::sleep_until(std::chrono::ceil<std::chrono::seconds>(now));
  }
  return local::change_power(nodes, change.on);
}

std::vector<node::Failed> change_in_the_cloud(const PowerChange& change,
                                              const std::vector<std::string>& nodes) {
  node::Cloud cloud;
  const node::Patience patience{std::chrono::steady_clock::now() + power_deadline, log_line};
  const node::MachineMetadata self = node::fetch_machine_metadata(cloud, patience);
  return change.in_the_cloud(cloud, node::fetch_cluster_file(cloud, self, patience), nodes,
                             patience);
}

int change_power(const PowerChange& change, Args args) {
  std::string list;
  CommandLine line(
      fmt::format("slipway node {}", change.what), "NODES",
      fmt::format("{} On the controller, as the user slurm; slurmctld calls it.", change.does));
  line.positional("NODES", &list);
  line.example(fmt::format("slipway node {} 'mycluster-gpu-[0-3]'", change.what),
               "a list as Slurm has them");
  if (!line.parse(args)) return 0;
  forget_the_caller();
  log_line(fmt::format("{} {}", change.what, list));
  // Whatever goes wrong is a reason for Slurm, which takes a list as it gave it to us, too.
  std::vector<std::string> nodes = {list};
  std::vector<node::Failed> failed;
  try {
    nodes = nodes_of(list);
    failed = is_local() ? change_here(change, nodes) : change_in_the_cloud(change, nodes);
  } catch (const std::exception& error) {
    failed = {{nodes, error.what()}};
  }
  for (const node::Failed& one : failed) {
    log_line(fmt::format("cannot {} {}: {}", change.what, join(one.nodes, ","),
                         node::reason_for_slurm(one.reason)));
    try {
      if (change.on) node::tell_slurm(one);
    } catch (const std::exception& error) {  // the others are told all the same
      log_line(fmt::format("cannot tell Slurm: {}", error.what()));
    }
  }
  return failed.empty() ? 0 : 1;
}

int resume(Args args) {
  return change_power({"resume", "Make machines for the nodes of a list.", true, node::resume},
                      args);
}

int suspend(Args args) {
  return change_power({"suspend", "Delete the machines of the nodes of a list, and no others.",
                       false, node::suspend},
                      args);
}

}  // namespace

int node(Args args) {
  return run_part(
      {"slipway node",
       "Do what the nodes of a cluster do by themselves. You need it to find out what went "
       "wrong.",
       {{"boot", boot},
        {"guard", guard},
        {"resume", resume},
        {"suspend", suspend},
        {"restart", node_restart},
        {"transport", node_transport},
        {"watch", node_watch}},
       {{"slipway node boot --help", "what a machine does when it starts"},
        {"slipway node resume --help", "how a machine is made when a job needs it"}}},
      args);
}

}  // namespace slipway::commands
