// The pod template of a converted job.
#include "launcher/conversion/jobset_pod.h"

#include <fmt/core.h>

#include <set>

#include "common/text.h"
#include "launcher/source/yaml_scalar.h"

namespace slipway::conversion {
namespace {

using HostPath = cluster::PodNetwork::HostPath;

constexpr const char* job_folder = "/slipway/job";
constexpr const char* container_name = "tasks";

class PodWriter {
 public:
  PodWriter(YamlWriter& out, const Plan& plan, const PodTransport& transport,
            const PodLabels& labels)
      : out_(out), plan_(plan), transport_(transport), labels_(labels) {
    if (transport.pods != nullptr) daemon_ = &transport.pods->daemon;
    if (daemon_ != nullptr && daemon_->command.empty()) daemon_ = nullptr;
  }

  void run() {
    metadata();
    out_.line(10, "spec:");
    out_.pair(12, "restartPolicy", "Never");
    place();
    if (plan_.gpus > 0 || daemon_ != nullptr) out_.line(12, "initContainers:");
    if (daemon_ != nullptr) sidecar();
    if (plan_.gpus > 0) check();
    out_.line(12, "containers:");
    tasks();
    volumes();
  }

 private:
  bool has_interfaces() const { return transport_.pods != nullptr; }

  void metadata() {
    if (!has_interfaces() && labels_.topology.empty()) return;
    out_.line(10, "metadata:");
    out_.line(12, "annotations:");
    if (!labels_.topology.empty()) {
      out_.comment(14, plan_.close_together
                           ? "--switches or --segment: all pods in one block of machines."
                           : "Machines near each other, if there are enough.");
      out_.pair(14, labels_.topology, labels_.level);
    }
    if (!has_interfaces()) return;
    out_.comment(
        14, fmt::format("The networks of transport `{}`: an interface for each.", transport_.name));
    out_.pair(14, "networking.gke.io/default-interface", transport_.pods->host[0]);
    out_.line(14, "networking.gke.io/interfaces: |");
    out_.line(16, "[");
    out_.line(16, fmt::format("  {{\"interfaceName\": \"{}\", \"network\": \"default\"}},",
                              transport_.pods->host[0]));
    const std::vector<std::string>& names = transport_.pods->gpu;
    for (size_t i = 0; i < names.size(); ++i) {
      out_.line(16, fmt::format("  {{\"interfaceName\": \"{}\", \"network\": \"{}\"}}{}", names[i],
                                transport_.pods->networks[i], i + 1 < names.size() ? "," : ""));
    }
    out_.line(16, "]");
    if (daemon_ == nullptr) return;
    out_.line(14, fmt::format("devices.gke.io/container.{}: |", daemon_name()));
    for (const std::string& device : daemon_->devices) out_.line(16, "- path: " + device);
  }

  std::string daemon_name() const { return transport_.row->node.daemon.name; }

  void place() {
    if (plan_.slices) return slice();
    const cluster::MachineType* const machine = plan_.place.machine;
    if (machine == nullptr) return;
    out_.line(12, "nodeSelector:");
    if (!machine->gpu_model.empty()) {
      out_.comment(14, fmt::format("Machines of type {}.", machine->name));
      out_.pair(14, labels_.accelerator, machine->gpu_model);
    } else {
      out_.pair(14, labels_.machine, machine->name);
    }
    if (plan_.gpus == 0) return;
    out_.line(12, "tolerations:");
    out_.comment(12, "GKE keeps pods without GPUs away from machines with them.");
    out_.pair(12, "- key", "nvidia.com/gpu");
    out_.pair(14, "operator", "Exists");
    out_.pair(14, "effect", "NoSchedule");
  }

  void slice() {
    const cluster::TpuPods& names = plan_.place.tpus->pods;
    out_.line(12, "nodeSelector:");
    out_.comment(14, fmt::format("Machines of type {}, in slices of this topology.",
                                 plan_.place.machine->name));
    out_.pair(14, names.accelerator, plan_.slices->accelerator);
    out_.pair(14, names.topology, plan_.slices->topology);
    out_.line(12, "tolerations:");
    out_.comment(12, "GKE keeps pods without TPUs away from machines with them.");
    out_.pair(12, "- key", names.chips);
    out_.pair(14, "operator", "Exists");
    out_.pair(14, "effect", "NoSchedule");
    if (!plan_.several_nodes()) return;
    out_.comment(12, "The machines of slices, and slices, talk through the host's network.");
    out_.plain(12, "hostNetwork", "true");
    out_.pair(12, "dnsPolicy", "ClusterFirstWithHostNet");
  }

  void mounts(size_t indent, const std::vector<HostPath>& paths) {
    for (const HostPath& path : paths) mount(indent, path.name, path.at);
  }

  void mount(size_t indent, const std::string& name, const std::string& at) {
    out_.pair(indent, "- name", name);
    out_.pair(indent + 2, "mountPath", at);
  }

  void shared_mounts(size_t indent) {
    const auto& shared = transport_.pods->shared;
    for (size_t i = 0; i < shared.size(); ++i)
      mount(indent, fmt::format("shared-{}", i), shared[i]);
  }

  void sidecar() {
    const NodeTransport::Daemon& on_machine = transport_.row->node.daemon;
    out_.comment(
        12,
        fmt::format("The daemon of transport `{}`. It runs beside the tasks, and ends with them.{}",
                    transport_.name, versions()));
    out_.pair(12, "- name", daemon_name());
    out_.pair(14, "image", on_machine.images.empty() ? "" : on_machine.images[0]);
    out_.pair(14, "restartPolicy", "Always");
    out_.line(14, "command:");
    for (const std::string& word : daemon_->command)
      out_.line(14, "- " + source::yaml_scalar(word));
    out_.line(14, "env:");
    variable("LD_LIBRARY_PATH", transport_.folder);
    out_.line(14, "securityContext:");
    out_.line(16, "capabilities:");
    out_.plain(18, "add", fmt::format("[{}]", join(daemon_->capabilities, ", ")));
    out_.line(14, "volumeMounts:");
    mounts(14, daemon_->host_paths);
    shared_mounts(14);
  }

  // The plugin that goes with the daemon.
  std::string versions() const {
    for (const NodeTransport::VersionSet& set : transport_.row->node.version_sets) {
      if (transport_.row->node.daemon.images.empty() || set.daemon.empty()) continue;
      if (transport_.row->node.daemon.images[0].ends_with("v" + set.daemon)) {
        return fmt::format(" This version goes with plugin {} on the machines.", set.plugin);
      }
    }
    return "";
  }

  void check() {
    out_.comment(
        12, "The checks of the prolog: without all GPUs, the pod fails before the job starts.");
    out_.pair(12, "- name", "check-gpus");
    out_.pair(14, "image", plan_.image);
    out_.plain(14, "command", fmt::format("[bash, {}/check-gpus]", job_folder));
    out_.line(14, "env:");
    variable("SLURM_GPUS_ON_NODE", std::to_string(plan_.gpus));
    gpu_limit();
    out_.line(14, "volumeMounts:");
    mount(14, "job", job_folder);
  }

  void gpu_limit() { limit("nvidia.com/gpu", plan_.gpus); }

  void limit(const std::string& resource, int64_t count) {
    out_.line(14, "resources:");
    out_.line(16, "limits:");
    out_.plain(18, resource, std::to_string(count));
  }

  void variable(const std::string& name, const std::string& value) {
    out_.pair(14, "- name", name);
    // A number would not be a text.
    out_.pair(16, "value", unexpanded(value));
  }

  void write(const JobVariable& one) {
    for (const std::string& comment : one.comments) out_.comment(14, comment);
    variable(one.name, one.value);
  }

  void from_label(const std::string& name, const std::string& label) {
    out_.pair(14, "- name", name);
    out_.line(16, "valueFrom:");
    out_.line(18, "fieldRef:");
    out_.pair(20, "fieldPath", fmt::format("metadata.labels['{}']", label));
  }

  void tasks() {
    out_.pair(12, "- name", container_name);
    if (!plan_.place.image.empty()) out_.comment(14, "--image of the conversion.");
    out_.pair(14, "image", plan_.image);
    out_.line(14, "command:");
    for (const std::string& word : {std::string("bash"), fmt::format("{}/start", job_folder)}) {
      out_.line(14, "- " + source::yaml_scalar(word));
    }
    if (!plan_.place.arguments.empty()) out_.line(14, "args:");
    for (const std::string& word : plan_.place.arguments)
      out_.line(14, "- " + source::yaml_scalar(unexpanded(word)));
    if (plan_.slices && plan_.several_nodes()) {
      out_.line(14, "ports:");
      for (const std::string& port : plan_.place.tpus->pods.ports)
        out_.plain(14, "- containerPort", port);
    }
    environment();
    resources();
    out_.line(14, "volumeMounts:");
    mount(14, "job", job_folder);
    launch_mount();
    out_.comment(14, "Processes of a pod share memory, as on a Slurm node.");
    mount(14, "shared-memory", "/dev/shm");
    if (has_interfaces()) {
      out_.comment(14, fmt::format("Libraries and devices of transport `{}`.", transport_.name));
      mounts(14, transport_.pods->host_paths);
      shared_mounts(14);
    }
    for (const Folder& folder : plan_.folders) {
      mount(14, folder.name, folder.target);
      if (!folder.claim.empty() && !folder.source.empty()) out_.pair(16, "subPath", folder.source);
      if (folder.read_only) out_.plain(16, "readOnly", "true");
    }
  }

  // Scripts start it by the path that it has on nodes.
  void launch_mount() {
    for (const std::string& program : paths_of_launcher(plan_)) {
      mount(14, "job", program);
      out_.pair(16, "subPath", "slipway");
    }
  }

  void environment() {
    out_.line(14, "env:");
    for (const JobVariable& one : slurm_variables(plan_)) write(one);
    if (!plan_.array.empty()) {
      std::vector<std::string> ids;
      for (const int64_t id : plan_.array) ids.push_back(std::to_string(id));
      out_.comment(14, "The element of the array is the one at JOB_INDEX.");
      variable("SLIPWAY_ARRAY", join(ids, " "));
    }
    from_label("JOBSET_NAME", "jobset.sigs.k8s.io/jobset-name");
    from_label("JOB_INDEX", "jobset.sigs.k8s.io/job-index");
    from_label("SLURM_RESTART_COUNT", "jobset.sigs.k8s.io/restart-attempt");
    run_key();
    slice_variables();
    for (const JobVariable& one : network_variables(transport_)) write(one);
  }

  // How the machines of a slice, and slices, find each other. GKE sets the same for JobSets that do
  // not have them. `nodes-of-jobset` adds the names of the slice's pods.
  void slice_variables() {
    if (!plan_.slices || !plan_.several_nodes()) return;
    out_.comment(14, "The machine in its slice. TPU_WORKER_HOSTNAMES follows in `nodes`.");
    from_label("TPU_WORKER_ID", "batch.kubernetes.io/job-completion-index");
    if (plan_.slices->count == 1) return;
    out_.comment(14, "How the slices find each other.");
    from_label("MEGASCALE_NUM_SLICES", "jobset.sigs.k8s.io/replicatedjob-replicas");
    from_label("MEGASCALE_SLICE_ID", "jobset.sigs.k8s.io/job-index");
    variable("MEGASCALE_COORDINATOR_ADDRESS", fmt::format("{0}-node-0-0.{0}", plan_.name));
    variable("MEGASCALE_PORT", std::to_string(plan_.place.tpus->pods.coordinator_port));
  }

  // The bandwidth tests know each other by a key, as there is no munge.
  void run_key() {
    if (!plan_.runs_bandwidth_test()) return;
    out_.comment(14, fmt::format("The ranks recognize each other by this key. Create it first: "
                                 "kubectl create secret generic {}-key "
                                 "--from-literal=key=$(openssl rand -hex 32)",
                                 plan_.name));
    out_.pair(14, "- name", "SLIPWAY_RUN_KEY");
    out_.line(16, "valueFrom:");
    out_.line(18, "secretKeyRef:");
    out_.pair(20, "name", plan_.name + "-key");
    out_.pair(20, "key", "key");
  }

  void resources() {
    if (plan_.gpus > 0) gpu_limit();
    if (plan_.slices) limit(plan_.place.tpus->pods.chips, plan_.slices->chips);
    if (plan_.cpus == 0 && plan_.memory_mib == 0) return;
    if (plan_.gpus == 0 && !plan_.slices) out_.line(14, "resources:");
    out_.line(16, "requests:");
    if (plan_.cpus > 0) {
      out_.comment(18, "--cpus-per-task, for all tasks of the pod");
      out_.pair(18, "cpu", std::to_string(plan_.cpus));
    }
    if (plan_.memory_mib > 0) {
      out_.comment(18, "--mem");
      out_.pair(18, "memory", fmt::format("{}Mi", plan_.memory_mib));
    }
  }

  void volumes() {
    out_.line(12, "volumes:");
    out_.pair(12, "- name", "job");
    out_.line(14, "configMap:");
    out_.pair(16, "name", plan_.name + "-script");
    out_.comment(16, "Readable and executable for everyone: 0555.");
    out_.plain(16, "defaultMode", "365");
    out_.pair(12, "- name", "shared-memory");
    out_.line(14, "emptyDir:");
    out_.pair(16, "medium", "Memory");
    std::set<std::string> seen;
    if (has_interfaces()) {
      for (const HostPath& path : transport_.pods->host_paths) host_path(path, seen);
      for (size_t i = 0; i < transport_.pods->shared.size(); ++i) {
        out_.pair(12, "- name", fmt::format("shared-{}", i));
        out_.plain(14, "emptyDir", "{}");
      }
    }
    if (daemon_ != nullptr) {
      for (const HostPath& path : daemon_->host_paths) host_path(path, seen);
    }
    for (const Folder& folder : plan_.folders) volume(folder);
  }

  void host_path(const HostPath& path, std::set<std::string>& seen) {
    if (!seen.insert(path.name).second) return;
    out_.pair(12, "- name", path.name);
    out_.line(14, "hostPath:");
    out_.pair(16, "path", path.path);
  }

  void volume(const Folder& folder) {
    if (!folder.claim.empty()) {
      out_.comment(12,
                   "The blueprint's file system at this place, as a claim in the job's namespace.");
    } else if (folder.source != "tmpfs") {
      out_.comment(12, "A folder of each machine: the blueprint has no file system there.");
    }
    out_.pair(12, "- name", folder.name);
    if (!folder.claim.empty()) {
      out_.line(14, "persistentVolumeClaim:");
      out_.pair(16, "claimName", folder.claim);
    } else if (folder.source == "tmpfs") {
      out_.line(14, "emptyDir:");
      out_.pair(16, "medium", "Memory");
    } else {
      out_.line(14, "hostPath:");
      out_.pair(16, "path", folder.source);
      if (folder.create) out_.pair(16, "type", "DirectoryOrCreate");
    }
  }

  YamlWriter& out_;
  const Plan& plan_;
  const PodTransport& transport_;
  const PodLabels& labels_;
  const cluster::PodNetwork::Daemon* daemon_ = nullptr;
};

}  // namespace

void write_pod(YamlWriter& out, const Plan& plan, const PodTransport& transport,
               const PodLabels& labels) {
  PodWriter(out, plan, transport, labels).run();
}

}  // namespace slipway::conversion
