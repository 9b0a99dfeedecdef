// `slipway node`: what the machines of a cluster run by themselves.
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
#include "launcher/node/host_names.h"
#include "launcher/node/metadata_guard.h"
#include "launcher/node/power.h"
#include "launcher/node/reason.h"

namespace slipway::commands {
namespace {

// Less than ResumeTimeout, so that Slurm has the reason before it gives up.
constexpr std::chrono::seconds power_deadline{240};

int boot(Args args) {
  int seconds = 600;
  CommandLine line("slipway node boot", "Make this Google Cloud machine a node of its cluster.");
  line.about("The unit slipway-node.service runs it at every start of the machine.");
  line.option("deadline", "SECONDS", "give up after this long", &seconds);
  line.example("slipway node boot", "as root, on a machine that `slipway create` defined");
  line.example("slipway node boot --deadline 60", "find out quickly what is missing");
  line.see_also("slipway-node-guard(1)");
  if (!line.parse(args)) return 0;
  if (seconds <= 0) throw UsageError("--deadline takes a number of seconds above 0");
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
  CommandLine line("slipway node guard",
                   "Close this machine's metadata server to every user but root.");
  line.about(
      "The unit slipway-guard.service runs it before the network is up. Later, `slipway node "
      "boot` admits the users that the blueprint names.");
  line.example("slipway node guard", "as root, on a machine that `slipway create` defined");
  line.example("systemctl status slipway-guard", "see whether it ran");
  line.see_also("slipway-node-boot(1)");
  if (!line.parse(args)) return 0;
  require_root();
  forget_the_caller();
  node::guard_metadata({}, [](const std::string&) {});
  return 0;
}

// Whether this node belongs to a local deployment.
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

// In a local deployment the supervisor starts and stops nodes.
std::vector<node::Failed> change_here(const PowerChange& change,
                                      const std::vector<std::string>& nodes) {
  if (change.on) {
    // Slurm compares whole seconds: a node that starts within the second of the request looks as if
    // it had been up before.
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
  CommandLine line(fmt::format("slipway node {}", change.what), change.does);
  line.about(
      "slurmctld runs it on the controller, as the user slurm. NODES is a list as Slurm writes "
      "it. A node that fails is set down in Slurm with the reason.");
  line.positional("NODES", &list);
  line.example(fmt::format("slipway node {} 'mycluster-gpu-[0-3]'", change.what),
               "a list as Slurm writes it");
  line.example(fmt::format("slipway node {} mycluster-gpu-0", change.what), "one node");
  line.exit_status("1", "at least one node failed");
  if (!line.parse(args)) return 0;
  forget_the_caller();
  log_line(fmt::format("{} {}", change.what, list));
  // Whatever goes wrong becomes the reason in Slurm, for the whole list if it cannot be expanded.
  std::vector<std::string> nodes = {list};
  std::vector<node::Failed> failed;
  try {
    nodes = node::host_names(list);
    failed = is_local() ? change_here(change, nodes) : change_in_the_cloud(change, nodes);
  } catch (const std::exception& error) {
    failed = {{nodes, error.what()}};
  }
  for (const node::Failed& one : failed) {
    log_line(fmt::format("cannot {} {}: {}", change.what, join(one.nodes, ","),
                         node::reason_for_slurm(one.reason)));
    try {
      if (change.on) node::tell_slurm(one);
    } catch (const std::exception& error) {
      log_line(fmt::format("cannot tell Slurm: {}", error.what()));
    }
  }
  return failed.empty() ? 0 : 1;
}

int resume(Args args) {
  return change_power({"resume", "Create or start machines for nodes.", true, node::resume}, args);
}

int suspend(Args args) {
  return change_power({"suspend", "Delete or stop the machines of nodes.", false, node::suspend},
                      args);
}

}  // namespace

int node(Args args) {
  return run_part(
      {"slipway node",
       "Run what the machines of a cluster run by themselves, to find out what went wrong.",
       "Services, slurmctld and slurmd run these commands; you need them for troubleshooting only.",
       {{"boot", boot},
        {"guard", guard},
        {"resume", resume},
        {"suspend", suspend},
        {"restart", node_restart},
        {"transport", node_transport},
        {"watch", node_watch}},
       {{"slipway node boot --deadline 60", "see why a machine does not join its cluster"},
        {"slipway exec quickstart controller -- slipway node restart slurmctld",
         "restart the controller of a local deployment"}}},
      args);
}

}  // namespace slipway::commands
