// Slurm's configuration files.
#include "launcher/cluster/slurm_conf.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "common/error.h"
#include "common/text.h"
#include "launcher/cluster/slurm_nodes.h"
#include "launcher/cluster/slurm_topology.h"

namespace slipway::cluster {
namespace {

// What every cluster of ours has, wherever it runs.
const std::vector<SlurmSetting> common_settings = {
    {"SelectType", "select/cons_tres", "GPUs are given out one by one, like cores and memory."},
    {"SelectTypeParameters", "CR_Core_Memory", ""},
    {"SchedulerType", "sched/backfill", ""},
    {"GresTypes", "gpu", "gres.conf says which device is which GPU."},
    {"MpiDefault", "pmix",
     "With none, an MPI program under a plain srun becomes as many jobs of one rank."},
    {"LaunchParameters", "use_interactive_step",
     "salloc gives a shell on the first node of the allocation, where the GPUs are."},
    {"PropagateResourceLimitsExcept", "MEMLOCK,STACK",
     "The login node's limits are not a job's: a small MEMLOCK breaks RDMA, an unlimited STACK "
     "NCCL."},
    {"ReturnToService", "2",
     "A node that was down serves again as soon as its slurmd registers with all that it should "
     "have."},
    {"MessageTimeout", "60",
     "Hundreds of nodes that start a step at once may answer late; that is not a failure."},
    {"BatchStartTimeout", "60", ""},
    {"HealthCheckProgram", "/opt/slipway/libexec/slipway/health",
     "Looks at nodes also without a job, and takes back its own drains when they are fit again."},
    {"HealthCheckNodeState", "ANY,CYCLE", ""},
    {"UnkillableStepTimeout", "300",
     "Five times MessageTimeout, which newer versions of Slurm ask for."},
};

constexpr const char* about_prologs =
    "Nodes are checked when a job gets them, and its script begins when all of them are fit.";

// How a job begins on its nodes. job_container/tmpfs needs Contain, and nothing else here does.
std::vector<SlurmSetting> job_settings(const Controller& controller) {
  if (!controller.private_tmp) return {{"PrologFlags", "Alloc,DeferBatch", about_prologs}};
  return {{"PrologFlags", "Alloc,Contain,DeferBatch", about_prologs},
          {"JobContainerType", "job_container/tmpfs",
           "Each job has a /tmp, /var/tmp and /dev/shm of its own, which go with it: what it fills "
           "is not the node's. job_container.conf says where they are."}};
}

// Of MPI's plugins, for every cluster.
const std::vector<SlurmSetting> mpi_settings = {
    {"PMIxCollFence", "tree",
     "Left to choose for each fence, Slurm mixes two kinds, and ranks may then leave MPI_Init "
     "while others are still in it: Open MPI 4.1 crashes when they are sent something there."},
};

// Nodes that join by themselves.
constexpr int64_t most_joining = 1000;

std::string head(const Cluster& cluster, const SlurmSite& site, std::string_view about) {
  return fmt::format(
      "# Written by slipway {} for deployment `{}` ({}). Changes here are lost: change the "
      "blueprint.\n# {}\n",
      SLIPWAY_VERSION, cluster.deployment, site.target, about);
}

// `text` as comment lines of at most 100 characters.
std::string comment(std::string_view text) {
  std::string out, line = "#";
  for (const std::string& word : split(text, ' ')) {
    if (line.size() + 1 + word.size() > 100) {
      out += line + "\n";
      line = "#";
    }
    line += " " + word;
  }
  return out + line + "\n";
}

// A line each; a setting without a reason of its own stands under the one before.
std::string settings_text(const std::vector<SlurmSetting>& settings) {
  std::string text;
  for (const SlurmSetting& setting : settings) {
    if (!setting.why.empty()) text += "\n" + comment(setting.why);
    text += fmt::format("{}={}\n", setting.key, setting.value);
  }
  return text;
}

std::string identity_text(const Cluster& cluster, const SlurmSite& site) {
  return fmt::format(
      "\n"
      "ClusterName={}\n"
      "SlurmctldHost={}-controller\n"
      "SlurmUser={}\n"
      "SlurmctldPort=6817\n"
      "SlurmdPort=6818\n"
      "StateSaveLocation={}\n"
      "SlurmdSpoolDir={}\n"
      "SlurmctldLogFile={}/slurmctld.log\n"
      "SlurmdLogFile={}/slurmd.log\n"
      "SlurmctldPidFile={}/slurmctld.pid\n"
      "SlurmdPidFile={}/slurmd.pid\n"
      "PlugStackConfig={}/plugstack.conf\n",
      cluster.name, cluster.name, site.slurm_user, site.state_dir, site.spool_dir, site.log_dir,
      site.log_dir, site.run_dir, site.run_dir, site.config_dir);
}

struct Lines {
  std::vector<NodesetLines> nodesets;  // in the order of the model, those without nodes too
  std::vector<SlurmLine> partitions;
};

Lines make_lines(const Cluster& cluster, const Catalogue& catalogue, const SlurmSite& site) {
  Lines lines;
  std::map<std::string, NodesetLines> by_name;
  bool any = false;
  for (const Nodeset& nodeset : cluster.nodesets) {
    lines.nodesets.push_back(nodeset_lines(cluster, nodeset, catalogue, site));
    by_name.emplace(nodeset.name, lines.nodesets.back());
    any = any || !lines.nodesets.back().names.empty() || !lines.nodesets.back().feature.empty();
  }
  if (!any) throw Error(fmt::format("cluster `{}` has no compute node", cluster.name));
  for (const Partition& partition : cluster.partitions) {
    lines.partitions.push_back(partition_line(partition, by_name, site));
  }
  return lines;
}

// Nodes that join by themselves are in no file: slurmctld needs room for them, tells the others
// where they are, and messages go straight to each.
void make_room(const Lines& lines, std::vector<SlurmSetting>& settings) {
  int64_t numbered = 0;
  for (const NodesetLines& nodeset : lines.nodesets) numbered += nodeset.count;
  for (SlurmSetting& setting : settings) {
    if (setting.key == "TreeWidth") {
      setting = {"TreeWidth", "65533", "Messages go straight to each node: some are in no file."};
    } else if (setting.key == "SlurmctldParameters") {
      setting = {"SlurmctldParameters", "idle_on_node_suspend",
                 "Without cloud_dns: addresses of nodes that join are known to slurmctld only."};
    }
  }
  settings.push_back({"MaxNodeCount", std::to_string(numbered + most_joining),
                      "The nodes of this file, and room for those that join by themselves."});
}

// How long a transport of some nodes gives its daemon beside jobs to serve. Nothing where none has
// a daemon.
std::optional<int64_t> longest_start_of_daemon(const Cluster& cluster, const Catalogue& catalogue,
                                               const SlurmSite& site) {
  std::optional<int64_t> longest;
  for (const Nodeset& nodeset : cluster.nodesets) {
    const std::string& name = catalogue.machine(nodeset.machine.machine_type).transport;
    if (!site.transports.contains(name)) continue;
    const NodeTransport::Daemon& daemon = catalogue.transport(name).node.daemon;
    if (!daemon.name.empty()) longest = std::max(longest.value_or(0), daemon.deadline_seconds);
  }
  return longest;
}

// When Slurm ends a prolog or an epilog: longer than any of ours takes until it gives up by itself.
// The checks of a node end after 15 s, where node_health has no other `deadline=`, the start of a
// transport's daemon 35 s after its own deadline (TransportPlaces::patience).
SlurmSetting prolog_timeout(std::optional<int64_t> start_of_daemon) {
  return {"PrologEpilogTimeout", std::to_string(60 + start_of_daemon.value_or(0)),
          start_of_daemon
              ? "A prolog or an epilog that hangs is killed, and its node drained: ours "
                "give up sooner, the checks of a node after 15 s, the start of the "
                "transport's daemon 25 s before this."
              : "A prolog or an epilog that hangs is killed, and its node drained: the "
                "checks of a node give up after 15 s, and the job starts."};
}

std::string nodes_text(const Lines& lines, bool elastic) {
  std::string text = "\n# Nodes, as the machine catalogue and the blueprint's node_conf say.\n";
  std::vector<std::string> always_on;
  for (const NodesetLines& nodeset : lines.nodesets) {
    if (!nodeset.static_names.empty()) always_on.push_back(nodeset.static_names);
    if (!nodeset.feature.empty()) {
      text += fmt::format("NodeSet={} Feature={}\n", nodeset.name, nodeset.feature);
      continue;
    }
    if (nodeset.names.empty()) {
      text += fmt::format("# Nodeset {} has no nodes.\n", nodeset.name);
      continue;
    }
    for (const SlurmLine& line : nodeset.lines) text += line.text();
    text += fmt::format("NodeSet={} Nodes={}\n", nodeset.name, nodeset.names);
  }
  if (elastic && !always_on.empty()) {
    text += fmt::format("SuspendExcNodes={}\n", join(always_on, ","));
  }
  text += "\n";
  for (const SlurmLine& partition : lines.partitions) text += partition.text();
  return text;
}

bool has_joining_nodes(const Lines& lines) {
  return std::ranges::any_of(lines.nodesets,
                             [](const NodesetLines& nodeset) { return !nodeset.feature.empty(); });
}

// What this site and this cluster need besides the common settings, without topology.
std::vector<SlurmSetting> own_settings(const Cluster& cluster, const Catalogue& catalogue,
                                       const SlurmSite& site, const Lines& lines) {
  std::vector<SlurmSetting> settings = site.settings;
  if (has_joining_nodes(lines)) make_room(lines, settings);
  const auto start_of_daemon = longest_start_of_daemon(cluster, catalogue, site);
  settings.push_back(prolog_timeout(start_of_daemon));
  if (start_of_daemon) {
    settings.push_back({"Prolog", site.prolog,
                        "The transport's daemon serves before a job begins, and ends with the last "
                        "job that needs it."});
    settings.push_back({"Epilog", site.epilog, ""});
  }
  return settings;
}

std::string gres_text(const Cluster& cluster, const SlurmSite& site, const Lines& lines) {
  std::string text = head(cluster, site, "Which device of a node is which GPU: gres.conf(5).");
  for (const NodesetLines& nodeset : lines.nodesets) {
    if (!nodeset.names.empty()) text += nodeset.gres;
  }
  return text;
}

std::string plugstack_text(const Cluster& cluster, const SlurmSite& site) {
  return head(cluster, site, "The SPANK plugins of srun, sbatch and slurmd: spank(8).") +
         fmt::format(
             "# Sets NCCL's variables for the node's transport. `optional`: its own failure fails "
             "no job.\noptional {}/nccl_env.so\n"
             "# Looks at each node before a job. The line itself comes with the plugin: a node "
             "whose image was built before\n# has neither, and starts.\ninclude {}/*.conf\n",
             site.plugin_dir, site.plugin_dir);
}

std::string job_container_text(const Cluster& cluster, const SlurmSite& site) {
  const std::string& path = cluster.controller.private_tmp_path;
  return head(cluster, site, "Where jobs have their own /tmp: job_container.conf(5).") +
         fmt::format("AutoBasePath=true\nBasePath={}\n", path.empty() ? default_job_space : path);
}

}  // namespace

std::map<std::string, std::string> slurm_files(const Cluster& cluster, const Catalogue& catalogue,
                                               const SlurmSite& site) {
  const Lines lines = make_lines(cluster, catalogue, site);
  std::map<std::string, std::string> files;
  std::vector<SlurmSetting> settings = own_settings(cluster, catalogue, site, lines);
  Topology topology;
  // A node that is in no switch of a tree gets no job, and no file names those that join.
  if (site.has_topology && !has_joining_nodes(lines)) {
    topology = make_topology(cluster, lines.nodesets);
    settings.push_back(topology.plugin);
    files["topology.conf"] =
        head(cluster, site, "Which nodes are near each other: topology.conf(5).") + topology.text;
  }

  files["slurm.conf"] =
      head(cluster, site, "The keys are explained in slurm.conf(5).") +
      identity_text(cluster, site) + settings_text(common_settings) +
      settings_text(job_settings(cluster.controller)) +
      fmt::format("\n# --- What a cluster of target `{}` needs besides.\n", site.target) +
      settings_text(settings) + "\n# --- Nodes and partitions.\n" +
      nodes_text(lines, site.elastic) + topology.padding;

  files["gres.conf"] = gres_text(cluster, site, lines);
  files["plugstack.conf"] = plugstack_text(cluster, site);
  if (cluster.controller.private_tmp) {
    files["job_container.conf"] = job_container_text(cluster, site);
  }
  files["mpi.conf"] = head(cluster, site, "How ranks of MPI programs meet: mpi.conf(5).") +
                      settings_text(mpi_settings);

  if (!cluster.controller.health_policy.empty()) {
    files["health.yaml"] = cluster.controller.health_policy;
  }
  if (!site.cgroup_settings.empty()) {
    files["cgroup.conf"] = head(cluster, site, "The keys are explained in cgroup.conf(5).") +
                           settings_text(site.cgroup_settings);
  }
  return files;
}

}  // namespace slipway::cluster
