// Generates Slurm's configuration files.
#include "launcher/cluster/slurm_conf.h"

#include <fmt/core.h>

#include <algorithm>

#include "common/error.h"
#include "common/text.h"
#include "launcher/cluster/accounting.h"
#include "launcher/cluster/plugstack.h"
#include "launcher/cluster/slurm_job_programs.h"
#include "launcher/cluster/slurm_nodes.h"
#include "launcher/cluster/slurm_overrides.h"
#include "launcher/cluster/slurm_topology.h"

namespace slipway::cluster {
namespace {

// Settings of every cluster, wherever it runs.
const std::vector<SlurmSetting> common_settings = {
    {"SelectType", "select/cons_tres", "Allocates single GPUs, like cores and memory."},
    {"SelectTypeParameters", "CR_Core_Memory", ""},
    {"SchedulerType", "sched/backfill", ""},
    {"GresTypes", "gpu", "gres.conf lists the GPU devices."},
    {"MpiDefault", "pmix",
     "Without it, an MPI program under plain srun would run as many single-rank jobs."},
    {"LaunchParameters", "use_interactive_step",
     "salloc opens a shell on the first node of the allocation, where the GPUs are."},
    {"PropagateResourceLimitsExcept", "MEMLOCK,STACK",
     "Jobs do not inherit the login node's limits: a small MEMLOCK breaks RDMA, an unlimited STACK "
     "NCCL."},
    {"ReturnToService", "2",
     "A node that was down returns to service once its slurmd registers with all its resources."},
    {"MessageTimeout", "60",
     "When hundreds of nodes start a step at once, some answer late; that is not a failure."},
    {"BatchStartTimeout", "60", ""},
    {"HealthCheckProgram", "/opt/slipway/libexec/slipway/health",
     "Checks nodes between jobs, too, and resumes nodes that it drained once they are healthy."},
    {"HealthCheckNodeState", "ANY,CYCLE", ""},
    {"UnkillableStepTimeout", "300",
     "Five times MessageTimeout, as newer versions of Slurm require."},
};

// Settings of Slurm's MPI plugins for every cluster.
const std::vector<SlurmSetting> mpi_settings = {
    {"PMIxCollFence", "ring",
     "The other method does not wait for all nodes, and Slurm chooses it for fences without data: "
     "ranks leave MPI_Init while others are still in it, and Open MPI crashes if those get "
     "messages."},
    {"PMIxEnv", "PMIX_MCA_gds=hash",
     "By default, PMIx 5 hands ranks what they need to know in files of the node's /tmp, which a "
     "job with its own /tmp cannot open: MPI_Init fails (openpmix issue 3839)."},
};

// How many nodes can register themselves.
constexpr int64_t most_joining = 1000;

std::string head(const Cluster& cluster, const SlurmSite& site, std::string_view about) {
  return fmt::format(
      "# Written by slipway {} for deployment `{}` ({}). Do not edit; change the "
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

// One line each; a setting without its own reason follows the one before it.
std::string settings_text(const std::vector<SlurmSetting>& settings) {
  std::string text;
  for (const SlurmSetting& setting : settings) {
    if (!setting.why.empty()) text += "\n" + comment(setting.why);
    text += fmt::format("{}={}\n", setting.key, setting.value);
  }
  return text;
}

// "head(10.0.0.1)" for a host that has another address than its name.
std::string controller_host(const Cluster& cluster) {
  const std::string name = controller_name(cluster);
  const std::vector<Host>& hosts = cluster.controller.hosts;
  if (hosts.empty() || hosts.front().address == name) return name;
  return fmt::format("{}({})", name, hosts.front().address);
}

// Two controllers take turns: the second takes over if the first does not answer, and gives back.
std::string identity_text(const Cluster& cluster, const SlurmSite& site) {
  const bool has_backup = site.follows_blueprint && cluster.controller.has_backup;
  const std::string backup =
      has_backup
          ? fmt::format("SlurmctldHost={}-controller-backup\nSlurmctldTimeout=60\n", cluster.name)
          : "";
  return fmt::format(
      "\n"
      "ClusterName={}\n"
      "SlurmctldHost={}\n"
      "{}"
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
      cluster.name, controller_host(cluster), backup, site.slurm_user,
      has_backup ? site.shared_state_dir : site.state_dir, site.spool_dir, site.log_dir,
      site.log_dir, site.run_dir, site.run_dir, site.config_dir);
}

struct Lines {
  std::vector<NodesetLines> nodesets;  // in the model's order, including empty ones
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

// Nodes that register themselves are in no file: slurmctld needs room for them and tells the other
// nodes their addresses, and messages go directly to each.
void make_room(const Lines& lines, std::vector<SlurmSetting>& settings) {
  int64_t numbered = 0;
  for (const NodesetLines& nodeset : lines.nodesets) numbered += nodeset.count;
  for (SlurmSetting& setting : settings) {
    if (setting.key == "TreeWidth") {
      setting = {"TreeWidth", "65533",
                 "Messages go directly to each node, as some are in no file."};
    } else if (setting.key == "SlurmctldParameters") {
      setting = {
          "SlurmctldParameters", "idle_on_node_suspend",
          "No cloud_dns: only slurmctld knows the addresses of nodes that register themselves."};
    }
  }
  settings.push_back({"MaxNodeCount", std::to_string(numbered + most_joining),
                      "The nodes in this file, and room for nodes that register themselves."});
}

std::string nodes_text(const Lines& lines, bool elastic) {
  std::string text = "\n# Nodes, from the machine catalogue and the blueprint's node_conf.\n";
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

// Slurm gives no jobs to a node outside all switches of a tree, and nodes that register themselves
// are in no file. A blueprint can name another plugin, for which nothing is written.
bool has_topology(const Cluster& cluster, const Lines& lines) {
  if (has_joining_nodes(lines)) return false;
  const auto wanted = cluster.controller.slurm_conf.find("TopologyPlugin");
  return wanted == cluster.controller.slurm_conf.end() || wanted->second == "topology/tree" ||
         wanted->second == "topology/block";
}

// This site's and this cluster's settings besides the common ones, without topology.
std::vector<SlurmSetting> own_settings(const Cluster& cluster, const Catalogue& catalogue,
                                       const SlurmSite& site, const Lines& lines) {
  std::vector<SlurmSetting> settings = site.settings;
  if (has_joining_nodes(lines)) make_room(lines, settings);
  for (SlurmSetting& setting : job_program_settings(cluster, catalogue, site)) {
    settings.push_back(std::move(setting));
  }
  if (site.has_accounting) {
    for (SlurmSetting& setting : accounting_settings(cluster, "jobacct_gather/cgroup")) {
      settings.push_back(std::move(setting));
    }
  }
  return settings;
}

std::string gres_text(const Cluster& cluster, const SlurmSite& site, const Lines& lines) {
  std::string text = head(cluster, site, "The GPU devices of each node: gres.conf(5).");
  for (const NodesetLines& nodeset : lines.nodesets) {
    if (!nodeset.names.empty()) text += nodeset.gres;
  }
  return text;
}

std::string plugstack_text(const Cluster& cluster, const SlurmSite& site) {
  return head(cluster, site, "SPANK plugins for srun, sbatch and slurmd: spank(8).") +
         plugstack_lines(cluster.controller, site);
}

std::string job_container_text(const Cluster& cluster, const SlurmSite& site) {
  const std::string& path = cluster.controller.private_tmp_path;
  return head(cluster, site, "Where jobs' private /tmp is: job_container.conf(5).") +
         fmt::format("AutoBasePath=true\nBasePath={}\n", path.empty() ? default_job_space : path);
}

}  // namespace

std::map<std::string, std::string> slurm_files(const Cluster& cluster, const Catalogue& catalogue,
                                               const SlurmSite& site) {
  const Lines lines = make_lines(cluster, catalogue, site);
  std::map<std::string, std::string> files;
  std::vector<SlurmSetting> common = common_settings;
  if (!site.has_pmix) {
    std::erase_if(common, [](const SlurmSetting& each) { return each.key == "MpiDefault"; });
  }
  for (SlurmSetting& setting : job_start_settings(cluster.controller, site.slurm)) {
    common.push_back(std::move(setting));
  }
  override_settings(common, site.common);
  follow_message_timeout(common);
  std::vector<SlurmSetting> settings = own_settings(cluster, catalogue, site, lines);
  Topology topology;
  if (has_topology(cluster, lines)) {
    topology = make_topology(cluster, lines.nodesets, site);
    settings.push_back(topology.plugin);
    if (!topology.parameter.key.empty()) settings.push_back(topology.parameter);
    files["topology.conf"] =
        head(cluster, site, "Which nodes are close to each other: topology.conf(5).") +
        topology.text;
  }
  std::vector<SlurmSetting> cgroup = site.cgroup_settings;
  if (site.follows_blueprint) {
    const bool has_gpus = std::ranges::any_of(
        lines.nodesets, [](const NodesetLines& nodeset) { return !nodeset.gres.empty(); });
    follow_blueprint(cluster.controller, has_gpus, common, settings);
    override_settings(cgroup, cluster.controller.cgroup_conf);
  }

  files["slurm.conf"] = head(cluster, site, "The keys are explained in slurm.conf(5).") +
                        identity_text(cluster, site) + settings_text(common) +
                        fmt::format("\n# --- Settings for target `{}`.\n", site.target) +
                        settings_text(settings) + "\n# --- Nodes and partitions.\n" +
                        nodes_text(lines, site.elastic) + topology.padding;

  files["gres.conf"] = gres_text(cluster, site, lines);
  files["plugstack.conf"] = plugstack_text(cluster, site);
  if (cluster.controller.private_tmp) {
    files["job_container.conf"] = job_container_text(cluster, site);
  }
  if (site.has_pmix) {
    files["mpi.conf"] =
        head(cluster, site, "How the ranks of MPI programs find each other: mpi.conf(5).") +
        settings_text(mpi_settings);
  }

  if (!cluster.controller.health_policy.empty()) {
    files["health.yaml"] = cluster.controller.health_policy;
  }
  if (!cgroup.empty()) {
    files["cgroup.conf"] =
        head(cluster, site, "The keys are explained in cgroup.conf(5).") + settings_text(cgroup);
  }
  return files;
}

}  // namespace slipway::cluster
