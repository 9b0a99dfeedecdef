// Kueue's objects for a blueprint's partitions.
#include "launcher/conversion/queues.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "common/text.h"
#include "launcher/conversion/yaml_writer.h"

namespace slipway::conversion {
namespace {

constexpr const char* topology_name = "machines";
constexpr const char* check_name = "flex-start";

class QueueWriter {
 public:
  QueueWriter(const Queues& queues, const QueueChoices& choices, const KueueTable& table)
      : queues_(queues), choices_(choices), table_(table) {}

  std::string run() {
    out_.comment(0, fmt::format("The partitions of {} as queues of Kueue, made by `slipway job "
                                "queues`. Apply it with `kubectl apply --server-side -f FILE`.",
                                queues_.cluster));
    topology();
    for (const QueueFlavor& one : queues_.flavors) flavor(one);
    if (choices_.flex_start) flex_start();
    for (const QueuePartition& partition : queues_.partitions) queue(partition);
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

  void topology() {
    if (std::ranges::none_of(queues_.flavors, &QueueFlavor::is_placed)) return;
    begin("Topology", topology_name, "How near machines are to each other, from far to near.");
    out_.line(0, "spec:");
    out_.line(2, "levels:");
    for (const std::string& level : table_.levels) out_.pair(2, "- nodeLabel", level);
  }

  void flavor(const QueueFlavor& one) {
    begin("ResourceFlavor", one.name, fmt::format("Nodeset {}: {}.", one.name, one.about));
    out_.line(0, "spec:");
    out_.line(2, "nodeLabels:");
    for (const auto& [label, value] : one.labels) out_.pair(4, label, value);
    if (choices_.flex_start && one.slice.empty()) out_.pair(4, table_.queued_label, "true");
    if (one.accelerator.empty()) return;
    // Kueue does not place machines that do not exist yet.
    if (one.is_placed && !choices_.flex_start) out_.pair(2, "topologyName", topology_name);
    out_.line(2, "tolerations:");
    out_.pair(2, "- key", one.accelerator);
    out_.pair(4, "operator", "Exists");
    out_.pair(4, "effect", "NoSchedule");
  }

  // A check for each topology of slices, and one for all other machines.
  static std::string check_of(const QueueFlavor& one) {
    return one.slice.empty() ? check_name : fmt::format("{}-{}", check_name, one.slice);
  }

  void flex_start() {
    std::map<std::string, std::vector<QueueFlavor>> checks;
    for (const QueueFlavor& one : queues_.flavors) checks[check_of(one)].push_back(one);
    for (const auto& [name, flavors] : checks) {
      begin("ProvisioningRequestConfig", name, "Machines come when a job waits for them.");
      out_.line(0, "spec:");
      out_.pair(2, "provisioningClassName", table_.provisioning_class);
      const std::set<std::string> resources = accelerators(flavors);
      if (!resources.empty()) out_.line(2, "managedResources:");  // without: all
      for (const std::string& resource : resources) out_.line(2, "- " + resource);
      if (const std::string& topology = flavors.front().slice; !topology.empty()) {
        out_.line(2, "parameters:");
        out_.pair(4, table_.topology_parameter, topology);
      }
      begin("AdmissionCheck", name);
      out_.line(0, "spec:");
      out_.pair(2, "controllerName", table_.controller);
      out_.line(2, "parameters:");
      out_.pair(4, "apiGroup", table_.api.substr(0, table_.api.find('/')));
      out_.pair(4, "kind", "ProvisioningRequestConfig");
      out_.pair(4, "name", name);
    }
  }

  void checks_of(const std::vector<QueueFlavor>& flavors) {
    std::map<std::string, std::vector<std::string>> checks;
    for (const QueueFlavor& one : flavors) checks[check_of(one)].push_back(one.name);
    out_.line(2, "admissionChecksStrategy:");
    out_.line(4, "admissionChecks:");
    for (const auto& [check, names] : checks) {
      out_.pair(4, "- name", check);
      if (checks.size() > 1) out_.plain(6, "onFlavors", "[" + join(names, ", ") + "]");
    }
  }

  // What flavors have beside CPUs and memory.
  static std::set<std::string> accelerators(const std::vector<QueueFlavor>& flavors) {
    std::set<std::string> found;
    for (const QueueFlavor& one : flavors) {
      if (!one.accelerator.empty()) found.insert(one.accelerator);
    }
    return found;
  }

  void queue(const QueuePartition& partition) {
    begin("ClusterQueue", partition.name,
          fmt::format("Partition {}. Quotas are those of its nodesets.", partition.name));
    out_.line(0, "spec:");
    out_.plain(2, "namespaceSelector", "{}");
    out_.comment(
        2, "A nodeset in several partitions has its quota in the first; the others borrow it.");
    out_.pair(2, "cohortName", queues_.cluster);
    std::vector<QueueFlavor> flavors;
    for (const std::string& name : partition.flavors) {
      const auto found = std::ranges::find(queues_.flavors, name, &QueueFlavor::name);
      if (found != queues_.flavors.end()) flavors.push_back(*found);
    }
    if (choices_.flex_start) checks_of(flavors);
    out_.line(2, "resourceGroups:");
    std::vector<std::string> covered = {"cpu", "memory"};
    for (const std::string& resource : accelerators(flavors)) covered.push_back(resource);
    out_.plain(2, "- coveredResources", "[" + join(covered, ", ") + "]");
    out_.line(4, "flavors:");
    for (const QueueFlavor& one : flavors) quota(one, covered);
    begin("LocalQueue", partition.name);
    out_.pair(2, "namespace", choices_.space);
    out_.line(0, "spec:");
    out_.pair(2, "clusterQueue", partition.name);
  }

  void quota(const QueueFlavor& one, const std::vector<std::string>& covered) {
    const bool is_first = counted_.insert(one.name).second;
    const int64_t machines = is_first ? one.machines : 0;
    out_.pair(4, "- name", one.name);
    if (is_first) out_.comment(6, one.counted);
    out_.line(6, "resources:");
    for (const std::string& name : covered) {
      if (name == "cpu") {
        resource(name, std::to_string(machines * one.cpus));
      } else if (name == "memory") {
        resource(name, fmt::format("{}Mi", machines * one.memory_mib));
      } else {
        const int64_t each = name == one.accelerator ? one.accelerators : 0;
        resource(name, std::to_string(machines * each));
      }
    }
  }

  void resource(const std::string& name, const std::string& quota) {
    out_.pair(6, "- name", name);
    out_.pair(8, "nominalQuota", quota);
  }

  const Queues& queues_;
  const QueueChoices& choices_;
  const KueueTable& table_;
  YamlWriter out_;
  std::set<std::string> counted_;  // nodesets whose quota is in a queue
  bool is_open_ = false;
};

}  // namespace

std::string queues_manifest(const Queues& queues, const QueueChoices& choices,
                            const KueueTable& table) {
  return QueueWriter(queues, choices, table).run();
}

}  // namespace slipway::conversion
