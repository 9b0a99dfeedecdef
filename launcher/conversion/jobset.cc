// A job as Kubernetes objects: a JobSet, and a ConfigMap with its script.
#include "launcher/conversion/jobset.h"

#include <fmt/core.h>

#include "common/text.h"
#include "launcher/conversion/jobset_pod.h"
#include "launcher/conversion/yaml_writer.h"

namespace slipway::conversion {
namespace {

void config_map(YamlWriter& out, const Plan& plan, const std::vector<JobFile>& files) {
  out.comment(
      0,
      fmt::format(
          "{} as a JobSet, made by `slipway job convert`. Create it with `kubectl apply -f FILE`.",
          plan.job->name));
  out.comment(0,
              "Each pod stands for a node and runs the script; srun in a pod starts the tasks of "
              "that pod.");
  for (const std::string& note : plan.notes) out.comment(0, "Without effect: " + note + ".");
  out.pair(0, "apiVersion", "v1");
  out.pair(0, "kind", "ConfigMap");
  out.line(0, "metadata:");
  out.pair(2, "name", plan.name + "-script");
  out.line(0, "data:");
  for (const JobFile& file : files) out.block(2, file.name, file.text);
}

void metadata(YamlWriter& out, const Plan& plan) {
  out.line(0, "metadata:");
  out.pair(2, "name", plan.name);
  if (plan.slices && plan.slices->machines > 1) {
    out.line(2, "annotations:");
    out.comment(4, "A slice is a node pool: each Job gets one to itself.");
    out.pair(4, plan.place.tpus->pods.exclusive, plan.place.tpus->pods.pool);
  }
  if (plan.queue.empty()) {
    out.comment(2, "Without --partition or --queue, Kueue has no part in this job.");
    return;
  }
  out.line(2, "labels:");
  out.comment(4, "The LocalQueue: --partition, or --queue of the conversion.");
  out.pair(4, "kueue.x-k8s.io/queue-name", plan.queue);
  if (!plan.priority.empty()) {
    out.comment(4, "The WorkloadPriorityClass: --qos.");
    out.pair(4, "kueue.x-k8s.io/priority-class", plan.priority);
  }
  if (plan.seconds > 0) {
    out.comment(4, "--time, from the moment at which Kueue admits the job.");
    out.pair(4, "kueue.x-k8s.io/max-exec-time-seconds", std::to_string(plan.seconds));
  }
}

void policies(YamlWriter& out, const Plan& plan) {
  out.line(2, "network:");
  out.comment(4, "Pods find each other by name, and before they are ready.");
  out.plain(4, "enableDNSHostnames", "true");
  out.plain(4, "publishNotReadyAddresses", "true");
  out.line(2, "failurePolicy:");
  if (plan.max_restarts == 0) {
    out.comment(4, "Without --requeue and `slipway launch`, a failed job stays failed.");
    out.plain(4, "maxRestarts", "0");
    return;
  }
  out.comment(4,
              "Which pod failed first says little, as the loss of one breaks the others: any "
              "failure restarts all pods "
              "together, from the last checkpoint of the program.");
  out.plain(4, "maxRestarts", std::to_string(plan.max_restarts));
  out.line(4, "rules:");
  out.comment(4,
              "Two failures come again with every restart: the time is over, or the program cannot "
              "be started.");
  for (const auto& [name, reason] : {std::pair{"time_is_over", "DeadlineExceeded"},
                                     std::pair{"cannot_start", "PodFailurePolicy"}}) {
    out.pair(4, "- name", name);
    out.pair(6, "action", "FailJobSet");
    out.plain(6, "onJobFailureReasons", fmt::format("[{}]", reason));
  }
}

void job(YamlWriter& out, const Plan& plan) {
  out.line(2, "replicatedJobs:");
  out.pair(2, "- name", "node");
  if (!plan.array.empty()) out.comment(4, "--array: a job for each element.");
  const bool several_slices = plan.slices && plan.slices->count > 1;
  if (several_slices) out.comment(4, "A job for each slice of TPUs.");
  out.plain(4, "replicas",
            std::to_string(several_slices ? static_cast<size_t>(plan.slices->count)
                                          : std::max<size_t>(1, plan.array.size())));
  out.line(4, "template:");
  out.line(6, "spec:");
  if (plan.spares > 0) {
    out.comment(8, fmt::format("--spares {}: Kubernetes replaces lost machines, so the job has "
                               "only the pods that compute.",
                               plan.spares));
  }
  if (plan.slices) {
    out.comment(8, fmt::format("A slice of topology {}: a pod for each of its machines, which have "
                               "{} TPU chips each.",
                               plan.slices->topology, plan.slices->chips));
  } else {
    out.comment(8, "--nodes: a pod for each.");
  }
  const std::string pods = std::to_string(plan.slices ? plan.slices->machines : plan.nodes);
  out.plain(8, "parallelism", pods);
  out.plain(8, "completions", pods);
  out.pair(8, "completionMode", "Indexed");
  out.comment(8, "A single pod cannot join the others again: the JobSet restarts all.");
  out.plain(8, "backoffLimit", "0");
  if (plan.seconds > 0) {
    out.comment(8, "--time");
    out.plain(8, "activeDeadlineSeconds", std::to_string(plan.seconds));
  }
  if (plan.max_restarts > 0) {
    out.line(8, "podFailurePolicy:");
    out.line(10, "rules:");
    out.comment(10, "A program that is not there, or may not be executed.");
    out.pair(10, "- action", "FailJob");
    out.line(12, "onExitCodes:");
    out.pair(14, "containerName", "tasks");
    out.pair(14, "operator", "In");
    out.plain(14, "values", "[126, 127]");
  }
}

}  // namespace

std::string jobset(const Plan& plan, const PodTransport& transport,
                   const std::vector<JobFile>& files, const KueueTable& kueue) {
  YamlWriter out;
  config_map(out, plan, files);
  out.line(0, "---");
  out.pair(0, "apiVersion", "jobset.x-k8s.io/v1alpha2");
  out.pair(0, "kind", "JobSet");
  metadata(out, plan);
  out.line(0, "spec:");
  policies(out, plan);
  job(out, plan);
  out.line(8, "template:");
  PodLabels labels{kueue.accelerator_label, kueue.machine_label, {}, {}};
  if (!plan.queue.empty() && plan.several_nodes() && plan.gpus > 0) {
    labels.topology = plan.close_together ? "kueue.x-k8s.io/podset-required-topology"
                                          : "kueue.x-k8s.io/podset-preferred-topology";
    labels.level = kueue.levels.empty() ? "" : kueue.levels[0];
  }
  write_pod(out, plan, transport, labels);
  return out.text();
}

}  // namespace slipway::conversion
