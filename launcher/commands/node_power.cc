// `slipway node resume` and `suspend`: Slurm's programs that make and delete machines.
#include "launcher/commands/node_power.h"

#include <fmt/core.h>
#include <stdlib.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>

#include "common/command_line.h"
#include "common/error.h"
#include "common/file.h"
#include "common/node_profile.h"
#include "common/process.h"
#include "common/text.h"
#include "launcher/commands/root_program.h"
#include "launcher/local/power_socket.h"
#include "launcher/node/boot.h"
#include "launcher/node/host_names.h"
#include "launcher/node/physical_hosts.h"
#include "launcher/node/power.h"
#include "launcher/node/reason.h"
#include "launcher/node/slurm_times.h"

namespace slipway::commands {
namespace {

using Names = std::vector<std::string>;

// If Slurm does not say for how long it waits.
constexpr std::chrono::seconds usual_deadline{240};

constexpr size_t longest_resume_file = 256 << 20;

struct PowerChange {
  const char* what;  // the verb
  const char* does;
  bool on;
};

// Whether this node belongs to a local deployment.
bool is_local() {
  std::error_code ignored;
  return std::filesystem::exists(node_profile_path, ignored) &&
         load_node_profile().target == "local";
}

// In a local deployment the supervisor starts and stops nodes.
std::vector<node::Failed> change_here(const PowerChange& change, const Names& nodes) {
  if (change.on) {
    // Slurm compares whole seconds: a node that starts within the second of the request looks as if
    // it had been up before.
    const auto now = std::chrono::system_clock::now();
    std::this_thread::sleep_until(std::chrono::ceil<std::chrono::seconds>(now));
  }
  return local::change_power(nodes, change.on);
}

// Which jobs wait for the nodes. Without it, machines are made as if nobody waited for them.
std::vector<node::WaitingJob> waiting_jobs(const std::string& resume_file) {
  if (resume_file.empty()) return {};
  try {
    return node::parse_resume_file(read_regular_file(resume_file, longest_resume_file),
                                   node::host_names);
  } catch (const Error& error) {
    log_line(fmt::format("cannot read SLURM_RESUME_FILE: {}", error.what()));
    return {};
  }
}

node::ResumeOrder order_for(const Names& nodes, const std::string& resume_file) {
  node::ResumeOrder order{nodes, waiting_jobs(resume_file)};
  try {
    node::ask_for_timeouts(order);
  } catch (const Error& error) {
    log_line(fmt::format("cannot ask Slurm how long it waits: {}", error.what()));
  }
  try {
    node::ask_for_time_limits(order);
  } catch (const Error& error) {
    log_line(
        fmt::format("cannot ask Slurm for the jobs' time limits, so machines may run as long "
                    "as the blueprint allows: {}",
                    error.what()));
  }
  return order;
}

std::chrono::seconds longest_timeout(const node::ResumeOrder& order) {
  std::chrono::seconds longest{0};
  for (const auto& [node, timeout] : order.timeouts) longest = std::max(longest, timeout);
  return longest.count() > 0 ? longest : usual_deadline;
}

std::chrono::seconds time_to_suspend() {
  try {
    return node::longest_suspend_timeout(
        run_checked({"/usr/bin/scontrol", "--oneliner", "show", "partition"},
                    {.input = "", .deadline = std::chrono::seconds(15)}));
  } catch (const Error& error) {
    log_line(fmt::format("cannot ask Slurm how long it waits: {}", error.what()));
    return usual_deadline;
  }
}

// Keeps the record of where machines are. It only helps Slurm's topology, so nothing fails with it.
void record(const node::PhysicalHosts& found, const Names& gone) {
  try {
    node::record_physical_hosts(found, gone);
  } catch (const Error& error) {
    log_line(fmt::format("cannot record where machines are: {}", error.what()));
  }
}

std::vector<node::Failed> change_in_the_cloud(const PowerChange& change, const Names& nodes,
                                              const std::string& resume_file) {
  const auto start = std::chrono::steady_clock::now();
  node::ResumeOrder order;
  if (change.on) order = order_for(nodes, resume_file);
  const std::chrono::seconds time = change.on ? longest_timeout(order) : time_to_suspend();
  const node::Patience patience{start + time, log_line};
  node::Cloud cloud;
  const node::MachineMetadata self = node::fetch_machine_metadata(cloud, patience);
  const node::ClusterFile cluster = node::fetch_cluster_file(cloud, self, patience);
  if (!change.on) {
    record({}, nodes);
    return node::suspend(cloud, cluster, nodes, patience);
  }
  node::Resumed resumed = node::resume(cloud, cluster, order, patience);
  record(resumed.physical_hosts, {});
  return std::move(resumed.failed);
}

void report(const PowerChange& change, const std::vector<node::Failed>& failed) {
  for (const node::Failed& one : failed) {
    log_line(fmt::format("cannot {} {}: {}", change.what, join(one.nodes, ","),
                         node::reason_for_slurm(one.reason)));
    try {
      if (change.on) node::tell_slurm(one);
    } catch (const std::exception& error) {
      log_line(fmt::format("cannot tell Slurm: {}", error.what()));
    }
  }
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
  const char* const given = ::getenv("SLURM_RESUME_FILE");
  const std::string resume_file = given == nullptr ? "" : given;
  forget_the_caller();
  log_line(fmt::format("{} {}", change.what, list));
  // Whatever goes wrong becomes the reason in Slurm, for the whole list if it cannot be expanded.
  Names nodes = {list};
  std::vector<node::Failed> failed;
  try {
    nodes = node::host_names(list);
    failed =
        is_local() ? change_here(change, nodes) : change_in_the_cloud(change, nodes, resume_file);
  } catch (const std::exception& error) {
    failed = {{nodes, error.what()}};
  }
  report(change, failed);
  return failed.empty() ? 0 : 1;
}

}  // namespace

int node_resume(Args args) {
  return change_power({"resume", "Create or start machines for nodes.", true}, args);
}

int node_suspend(Args args) {
  return change_power({"suspend", "Delete or stop the machines of nodes.", false}, args);
}

}  // namespace slipway::commands
