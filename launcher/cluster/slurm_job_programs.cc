// Settings for the programs that run before and after jobs.
#include "launcher/cluster/slurm_job_programs.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace slipway::cluster {
namespace {

constexpr const char* about_prologs =
    "Nodes are checked when a job gets them; its script starts once all of them are healthy.";

// A custom script's time in slurm-gcp v6.
constexpr int64_t seconds_of_a_script = 300;

// How long the daemons of a node may take to start, one after the other; the longest of all nodes.
// Empty if none has a daemon.
std::optional<int64_t> longest_start_of_daemons(const Cluster& cluster, const Catalogue& catalogue,
                                                const SlurmSite& site) {
  int64_t longest = 0;
  for (const Nodeset& nodeset : cluster.nodesets) {
    const MachineType& machine = catalogue.machine(nodeset.machine.machine_type);
    const TransportType& transport = catalogue.transport(machine.transport);
    int64_t seconds = 0;
    if (transport.places.contains(site.target)) seconds += transport.node.daemon.deadline_seconds;
    for (const auto& [daemon, places] : machine.daemons) {
      if (places.contains(site.target)) seconds += daemon.deadline_seconds;
    }
    longest = std::max(longest, seconds);
  }
  return longest > 0 ? std::optional(longest) : std::nullopt;
}

// How many scripts of the blueprint Slurm runs one after the other.
int64_t scripts_in_a_row(const Controller& controller) {
  std::map<std::string, int64_t> counts;
  for (const auto& [name, text] : controller.scripts) ++counts[name.substr(0, name.find('/'))];
  int64_t most = std::max(counts["prolog.d"], counts["epilog.d"]);
  return most + (controller.external_scripts ? 1 : 0);
}

// The programs before and after a job and each of its tasks.
std::vector<SlurmSetting> programs_around_jobs(const Controller& controller, const SlurmSite& site,
                                               bool has_daemon) {
  std::vector<SlurmSetting> settings;
  const auto runs = [&](const std::string& kind) {
    if (site.job_scripts.empty()) return false;
    const auto first = controller.scripts.lower_bound(kind + ".d/");
    return controller.external_scripts ||
           (first != controller.scripts.end() && first->first.starts_with(kind + ".d/"));
  };
  const auto add = [&](const char* key, const std::string& own, const std::string& kind,
                       const char* name, const char* why) {
    if (runs(kind)) {
      settings.push_back({key, fmt::format("{}/{}", site.job_scripts, name), why});
    } else if (has_daemon && !own.empty()) {
      settings.push_back({key, own, why});
    }
  };
  add("Prolog", site.prolog, "prolog", "prolog-scripts",
      "Starts the transport's daemon before a job, and stops it with the last job that needs it. "
      "Runs the blueprint's scripts, if any.");
  add("Epilog", site.epilog, "epilog", "epilog-scripts", "");
  add("TaskProlog", "", "task_prolog", "task-prolog", "Run the blueprint's scripts as the user.");
  add("TaskEpilog", "", "task_epilog", "task-epilog", "");
  return settings;
}

// When Slurm kills a prolog or an epilog: later than any of ours gives up by itself. A node's
// checks end after 15 s unless node_health has another `deadline=`, and the start of a transport's
// daemon 35 s after the daemon's own deadline (TransportPlaces::patience).
SlurmSetting prolog_timeout(std::optional<int64_t> start_of_daemon, int64_t scripts) {
  const int64_t seconds = 60 + start_of_daemon.value_or(0) + scripts * seconds_of_a_script;
  return {"PrologEpilogTimeout", std::to_string(seconds),
          scripts > 0 ? "Slurm kills a prolog or epilog that hangs and drains the node. Each of "
                        "the blueprint's scripts has five minutes."
          : start_of_daemon ? "Slurm kills a prolog or epilog that hangs and drains the node. Ours "
                              "give up sooner: a node's checks after 15 s, the start of the "
                              "transport's daemon 25 s before this."
                            : "Slurm kills a prolog or epilog that hangs and drains the node. A "
                              "node's checks give up after 15 s, and the job starts."};
}

// It calls the plugin for /tmp by another name, and warns of the old one, which will go.
// https://slurm.schedmd.com/namespace.html
constexpr SlurmVersion first_with_namespaces = {25, 11};

}  // namespace

// Only the plugin for /tmp needs Contain.
std::vector<SlurmSetting> job_start_settings(const Controller& controller,
                                             const SlurmVersion& slurm) {
  if (!controller.private_tmp) return {{"PrologFlags", "Alloc,DeferBatch", about_prologs}};
  const bool has_namespaces = slurm >= first_with_namespaces;
  return {{"PrologFlags", "Alloc,Contain,DeferBatch", about_prologs},
          {has_namespaces ? "NamespaceType" : "JobContainerType",
           has_namespaces ? "namespace/tmpfs" : "job_container/tmpfs",
           "Each job has its own /tmp, /var/tmp and /dev/shm, which are removed with it and do not "
           "fill "
           "the node's. job_container.conf says where they are."}};
}

std::vector<SlurmSetting> job_program_settings(const Cluster& cluster, const Catalogue& catalogue,
                                               const SlurmSite& site) {
  const auto start_of_daemon = longest_start_of_daemons(cluster, catalogue, site);
  const Controller& controller = cluster.controller;
  const bool has_scripts = !site.job_scripts.empty();
  std::vector<SlurmSetting> settings = {
      prolog_timeout(start_of_daemon, has_scripts ? scripts_in_a_row(controller) : 0)};
  for (SlurmSetting& setting :
       programs_around_jobs(controller, site, start_of_daemon.has_value())) {
    settings.push_back(std::move(setting));
  }
  return settings;
}

}  // namespace slipway::cluster
