// A blueprint's partitions as queues of Kueue.
#include "launcher/conversion/queues.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <set>

#include "common/text.h"
#include "launcher/conversion/kueue.h"
#include "launcher/conversion/yaml_writer.h"

namespace slipway::conversion {
namespace {

constexpr const char* topology_name = "machines";
constexpr const char* check_name = "flex-start";

class QueueWriter {
 public:
  QueueWriter(const cluster::Cluster& cluster, const cluster::Catalogue& catalogue,
              const QueueChoices& choices, const KueueTable& table)
      : cluster_(cluster), catalogue_(catalogue), choices_(choices), table_(table) {}

  std::string run() {
    out_.comment(0, fmt::format("The partitions of {} as queues of Kueue, made by `slipway job "
                                "queues`. Apply it with `kubectl apply --server-side -f FILE`.",
                                cluster_.name));
    topology();
    for (const cluster::Nodeset& nodeset : cluster_.nodesets) flavor(nodeset);
    if (choices_.flex_start) flex_start();
    for (const cluster::Partition& partition : cluster_.partitions) queue(partition);
    for (const auto& [name, value] : table_.priorities) {
      begin("WorkloadPriorityClass", name);
      out_.plain(0, "value", std::to_string(value));
    }
    return out_.text();
  }

 private:
  void begin(const std::string& kind, const std::string& name, const std::string& why = "",
             const std::string& api = "") {
    if (is_open_) out_.line(0, "---");
    is_open_ = true;
    if (!why.empty()) out_.comment(0, why);
    out_.pair(0, "apiVersion", api.empty() ? table_.api : api);
    out_.pair(0, "kind", kind);
    out_.line(0, "metadata:");
    out_.pair(2, "name", name);
  }

  const cluster::MachineType& machine_of(const cluster::Nodeset& nodeset) const {
    return catalogue_.machine(nodeset.machine.machine_type);
  }

  void topology() {
    const bool any = std::ranges::any_of(cluster_.nodesets, [&](const cluster::Nodeset& nodeset) {
      return machine_of(nodeset).gpu_count > 0;
    });
    if (!any) return;
    begin("Topology", topology_name, "How near machines are to each other, from far to near.");
    out_.line(0, "spec:");
    out_.line(2, "levels:");
    for (const std::string& level : table_.levels) out_.pair(2, "- nodeLabel", level);
    has_topology_ = true;
  }

  void flavor(const cluster::Nodeset& nodeset) {
    const cluster::MachineType& machine = machine_of(nodeset);
    begin("ResourceFlavor", nodeset.name,
          fmt::format("Nodeset {}: machines of type {}.", nodeset.name, machine.name));
    out_.line(0, "spec:");
    out_.line(2, "nodeLabels:");
    if (machine.gpu_model.empty())
      out_.pair(4, table_.machine_label, machine.name);
    else
      out_.pair(4, table_.accelerator_label, machine.gpu_model);
    if (choices_.flex_start) out_.pair(4, table_.queued_label, "true");
    if (machine.gpu_count == 0) return;
    // Kueue does not place machines that do not exist yet.
    if (has_topology_ && !choices_.flex_start) out_.pair(2, "topologyName", topology_name);
    out_.line(2, "tolerations:");
    out_.pair(2, "- key", "nvidia.com/gpu");
    out_.pair(4, "operator", "Exists");
    out_.pair(4, "effect", "NoSchedule");
  }

  void flex_start() {
    begin("ProvisioningRequestConfig", check_name, "Machines come when a job waits for them.");
    out_.line(0, "spec:");
    out_.pair(2, "provisioningClassName", table_.provisioning_class);
    out_.line(2, "managedResources:");
    out_.line(2, "- nvidia.com/gpu");
    begin("AdmissionCheck", check_name);
    out_.line(0, "spec:");
    out_.pair(2, "controllerName", table_.controller);
    out_.line(2, "parameters:");
    out_.pair(4, "apiGroup", table_.api.substr(0, table_.api.find('/')));
    out_.pair(4, "kind", "ProvisioningRequestConfig");
    out_.pair(4, "name", check_name);
  }

  void queue(const cluster::Partition& partition) {
    begin("ClusterQueue", partition.name,
          fmt::format("Partition {}. Quotas are those of its nodesets.", partition.name));
    out_.line(0, "spec:");
    out_.plain(2, "namespaceSelector", "{}");
    out_.comment(
        2, "A nodeset in several partitions has its quota in the first; the others borrow it.");
    out_.pair(2, "cohortName", cluster_.name);
    if (choices_.flex_start) {
      out_.line(2, "admissionChecksStrategy:");
      out_.line(4, "admissionChecks:");
      out_.pair(4, "- name", check_name);
    }
    out_.line(2, "resourceGroups:");
    std::vector<const cluster::Nodeset*> nodesets;
    bool has_gpus = false;
    for (const std::string& name : partition.nodesets) {
      const auto nodeset = std::ranges::find(cluster_.nodesets, name, &cluster::Nodeset::name);
      if (nodeset == cluster_.nodesets.end()) continue;
      nodesets.push_back(&*nodeset);
      has_gpus = has_gpus || machine_of(*nodeset).gpu_count > 0;
    }
    out_.plain(2, "- coveredResources",
               has_gpus ? "[cpu, memory, nvidia.com/gpu]" : "[cpu, memory]");
    out_.line(4, "flavors:");
    for (const cluster::Nodeset* nodeset : nodesets) quota(*nodeset, has_gpus);
    begin("LocalQueue", partition.name);
    out_.pair(2, "namespace", choices_.space);
    out_.line(0, "spec:");
    out_.pair(2, "clusterQueue", partition.name);
  }

  void quota(const cluster::Nodeset& nodeset, bool has_gpus) {
    const cluster::MachineType& machine = machine_of(nodeset);
    const bool is_first = counted_.insert(nodeset.name).second;
    const int64_t nodes = is_first ? nodeset.node_count_static + nodeset.node_count_dynamic_max : 0;
    out_.pair(4, "- name", nodeset.name);
    if (is_first) out_.comment(6, fmt::format("{} machines", nodes));
    out_.line(6, "resources:");
    resource("cpu", std::to_string(nodes * machine.cpus()));
    resource("memory", fmt::format("{}Mi", nodes * machine.memory_mib));
    if (has_gpus) resource("nvidia.com/gpu", std::to_string(nodes * machine.gpu_count));
  }

  void resource(const std::string& name, const std::string& quota) {
    out_.pair(6, "- name", name);
    out_.pair(8, "nominalQuota", quota);
  }

  const cluster::Cluster& cluster_;
  const cluster::Catalogue& catalogue_;
  const QueueChoices& choices_;
  const KueueTable& table_;
  YamlWriter out_;
  std::set<std::string> counted_;  // nodesets whose quota is in a queue
  bool is_open_ = false, has_topology_ = false;
};

}  // namespace

std::string queues(const cluster::Cluster& cluster, const cluster::Catalogue& catalogue,
                   const QueueChoices& choices, const std::filesystem::path& catalogue_folder,
                   source::Sources& sources, source::Diagnostics& diagnostics) {
  const KueueTable table = read_kueue(catalogue_folder, sources, diagnostics);
  return QueueWriter(cluster, catalogue, choices, table).run();
}

}  // namespace slipway::conversion
