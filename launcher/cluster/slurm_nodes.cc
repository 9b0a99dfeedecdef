// Generates the lines for nodes, nodesets and partitions, by the rules of slurm-gcp v6 (conf.py),
// so that a blueprint gives the same Slurm configuration in both.
#include "launcher/cluster/slurm_nodes.h"

#include <fmt/core.h>

#include <algorithm>

#include "common/error.h"
#include "common/host_list.h"
#include "common/text.h"
#include "launcher/cluster/hardware.h"

namespace slipway::cluster {

const std::vector<std::string> fixed_node_keys = {"NodeName", "NodeAddr", "NodeHostname", "Port"};
const std::vector<std::string> fixed_partition_keys = {"PartitionName", "Nodes"};

namespace {

// In the order of the names, which Slurm's own host lists and ours keep only if they are written
// out.
void set_addresses(SlurmLine& line, const Nodeset& nodeset) {
  if (std::ranges::all_of(nodeset.hosts,
                          [](const Host& host) { return host.name == host.address; })) {
    return;
  }
  std::vector<std::string> names, addresses;
  for (const Host& host : nodeset.hosts) {
    names.push_back(host.name);
    addresses.push_back(host.address);
  }
  line.set("NodeName", join(names, ","));
  line.set("NodeAddr", join(addresses, ","));
}

SlurmLine node_line(const MachineType& machine, const std::string& names, const Nodeset& nodeset,
                    bool elastic) {
  const Hardware hardware = hardware_of(machine, nodeset.machine);
  SlurmLine line;
  line.set("NodeName", names);
  set_addresses(line, nodeset);
  line.set("State", elastic ? "CLOUD" : "UNKNOWN");
  line.set("RealMemory", std::to_string(hardware.memory_mib));
  line.set("Boards", "1");
  line.set("SocketsPerBoard", std::to_string(hardware.sockets));
  line.set("CoresPerSocket", std::to_string(hardware.cores_per_socket));
  line.set("ThreadsPerCore", std::to_string(hardware.threads_per_core));
  line.set("CPUs", "");
  if (machine.gpu_count > 0) line.set("Gres", fmt::format("gpu:{}", machine.gpu_count));
  line.override_with(nodeset.node_conf, fixed_node_keys);
  if (line.has("Sockets")) {  // Slurm accepts a node's sockets or a board's, not both
    line.remove("Boards");
    line.remove("SocketsPerBoard");
  }
  if (line.get("CPUs").empty()) {
    const int64_t sockets = line.has("Sockets")
                                ? line.number("Sockets", 1)
                                : line.number("Boards", 1) * line.number("SocketsPerBoard", 1);
    line.set("CPUs", std::to_string(sockets * line.number("CoresPerSocket", 1) *
                                    line.number("ThreadsPerCore", 1)));
  }
  return line;
}

// The line of gres.conf for the node line's Gres, which a user may have changed.
std::string gres_line(const SlurmLine& node, const MachineType& machine) {
  for (const std::string& gres : split(node.get("Gres"), ',')) {
    const std::vector<std::string> parts = split(gres, ':');  // gpu[:type][:count]
    if (parts.empty() || parts[0] != "gpu") continue;
    const bool last_is_count =
        parts.size() > 1 && parts.back().find_first_not_of("0123456789") == std::string::npos;
    const int64_t count = last_is_count ? whole_number("Gres", parts.back()) : 1;
    if (count > machine.gpu_count) {
      throw Error(fmt::format("`Gres` asks for {} GPUs, but a `{}` has {}", count, machine.name,
                              machine.gpu_count));
    }
    if (count == 0) return "";
    const std::string type = parts.size() > 1 + size_t{last_is_count} ? " Type=" + parts[1] : "";
    return fmt::format("NodeName={} Name=gpu{} File={}\n", node.get("NodeName"), type,
                       hostlist("/dev/nvidia", 0, count - 1));
  }
  return "";
}

int64_t memory_per_cpu_mib(const SlurmLine& node) {
  const int64_t cpus = node.number("CPUs", 1);
  if (cpus == 0) throw Error("`CPUs` is 0");
  const int64_t memory_mib = node.number("RealMemory", 1);
  if (memory_mib == 0) throw Error("`RealMemory` is 0");
  return std::max<int64_t>(100, (memory_mib - node.number("MemSpecLimit", 0)) / cpus);
}

// Keys that matter only where nodes start on demand.
const std::vector<std::string> power_keys = {"PowerDownOnIdle", "ResumeTimeout", "SuspendTime",
                                             "SuspendTimeout"};

SlurmLine make_partition_line(const Partition& partition,
                              const std::map<std::string, NodesetLines>& nodesets,
                              const SlurmSite& site) {
  std::vector<std::string> names;
  int64_t memory_mib = 0;
  bool has_static_nodes = false;
  for (const std::string& name : partition.nodesets) {
    const auto found = nodesets.find(name);
    if (found == nodesets.end()) throw Error(fmt::format("there is no nodeset `{}`", name));
    const NodesetLines& nodeset = found->second;
    // Slurm has no nodesets without nodes.
    if (nodeset.names.empty() && nodeset.feature.empty()) continue;
    memory_mib = names.empty() ? nodeset.memory_per_cpu_mib
                               : std::min(memory_mib, nodeset.memory_per_cpu_mib);
    names.push_back(name);
    has_static_nodes = has_static_nodes || !nodeset.static_names.empty();
  }
  SlurmLine line;
  line.set("PartitionName", partition.name);
  if (!names.empty()) line.set("Nodes", join(names, ","));
  line.set("State", "UP");
  if (memory_mib > 0) line.set("DefMemPerCPU", std::to_string(memory_mib));
  if (partition.is_default) line.set("Default", "YES");
  if (partition.exclusive) line.set("OverSubscribe", "EXCLUSIVE");
  if (site.elastic) {
    line.set("SuspendTime", "300");
    line.set("SuspendTimeout", "120");
    line.set("ResumeTimeout", "300");
    // Slurm powers down static nodes, too, if it says so: SuspendExcNodes protects only from
    // SuspendTime (power_save.c of Slurm 23.02 to 24.11).
    const bool all_on_demand = !has_static_nodes || site.always_on_state != "CLOUD";
    if (partition.exclusive && all_on_demand && site.has_power_down_on_idle()) {
      line.set("PowerDownOnIdle", "YES");
    }
  }
  line.override_with(partition.partition_conf, fixed_partition_keys);
  // Beside it, Slurm ignores DefMemPerCPU, and complains at every start.
  if (line.has("DefMemPerNode")) line.remove("DefMemPerCPU");
  if (!site.has_power_down_on_idle()) line.remove("PowerDownOnIdle");
  if (!site.elastic) {
    for (const std::string& key : power_keys) line.remove(key);
  }
  return line;
}

// The lines of a nodeset's nodes: one, unless the static nodes have a different State.
std::vector<SlurmLine> by_state(const NodesetLines& nodeset, int64_t always_on,
                                const SlurmSite& site) {
  const bool differ = site.elastic && site.always_on_state != nodeset.node.get("State");
  if (!differ || always_on == 0) return {nodeset.node};
  SlurmLine on = nodeset.node;
  on.set("NodeName", nodeset.static_names);
  if (on.get("State") == "CLOUD") on.set("State", site.always_on_state);
  if (always_on == nodeset.count) return {on};
  SlurmLine on_demand = nodeset.node;
  on_demand.set("NodeName", hostlist(nodeset.prefix, always_on, nodeset.count - 1));
  return {on, on_demand};
}

}  // namespace

std::string hostlist(const std::string& prefix, int64_t first, int64_t last) {
  if (last < first) return "";
  return last == first ? fmt::format("{}{}", prefix, first)
                       : fmt::format("{}[{}-{}]", prefix, first, last);
}

namespace {

// The first `count` nodes.
std::string names_in(const Nodeset& nodeset, const std::string& prefix, int64_t count) {
  if (nodeset.hosts.empty()) return hostlist(prefix, 0, count - 1);
  std::vector<std::string> names;
  for (const Host& host : nodeset.hosts) names.push_back(host.name);
  return host_list(names);
}

}  // namespace

NodesetLines nodeset_lines(const Cluster& cluster, const Nodeset& nodeset,
                           const Catalogue& catalogue, const SlurmSite& site) try {
  const MachineType& machine = catalogue.machine(nodeset.machine.machine_type);
  const std::string prefix = fmt::format("{}-{}-", cluster.name, nodeset.name);
  const int64_t dynamic = site.elastic ? nodeset.node_count_dynamic_max : 0;
  NodesetLines lines;
  lines.name = nodeset.name;
  lines.feature = site.elastic ? nodeset.feature : "";
  lines.prefix = prefix;
  lines.count = nodeset.node_count_static + dynamic;
  lines.names = names_in(nodeset, prefix, lines.count);
  lines.static_names = names_in(nodeset, prefix, nodeset.node_count_static);
  lines.nvlink_domain_machines = machine.nvlink_domain_machines;
  lines.node = node_line(machine, lines.names, nodeset, site.elastic);
  lines.lines = by_state(lines, nodeset.node_count_static, site);
  lines.gres = gres_line(lines.node, machine);
  lines.memory_per_cpu_mib = memory_per_cpu_mib(lines.node);
  return lines;
} catch (const Error& error) {
  throw error.within(fmt::format("nodeset `{}`", nodeset.name));
}

std::string joining_node_conf(const Nodeset& nodeset, const Catalogue& catalogue) {
  SlurmLine line = node_line(catalogue.machine(nodeset.machine.machine_type), "", nodeset, true);
  line.remove("NodeName");
  line.remove("State");
  line.set("Feature", nodeset.feature);
  const std::string text = line.text();
  return text.substr(0, text.size() - 1);  // without its line feed
}

SlurmLine partition_line(const Partition& partition,
                         const std::map<std::string, NodesetLines>& nodesets,
                         const SlurmSite& site) try {
  return make_partition_line(partition, nodesets, site);
} catch (const Error& error) {
  throw error.within(fmt::format("partition `{}`", partition.name));
}

}  // namespace slipway::cluster
