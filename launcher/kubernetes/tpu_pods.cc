// Checks pods that run on slices of TPUs.
#include "launcher/kubernetes/tpu_pods.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "common/text.h"
#include "launcher/cluster/row_reader.h"
#include "launcher/kubernetes/manifest_text.h"

namespace slipway::kubernetes {
namespace {

using cluster::TpuGeneration;
using source::Code;
using source::Node;

// A whole number that a scalar is, also in quotes as quantities may be; 0 if it is not one.
int64_t count_in(const Node* node) {
  return node != nullptr && node->is_scalar() ? cluster::positive_number(node->text) : 0;
}

class TpuPodCheck {
 public:
  TpuPodCheck(const Object& object, const cluster::TpuTable& table,
              source::Diagnostics& diagnostics)
      : object_(object), table_(table), diagnostics_(diagnostics) {}

  void run() {
    if (const Node* spec = object_.root.find("spec")) in_spec(*spec);
  }

 private:
  // The spec of a flavor, a pod, a job, a group of jobs, or anything with a template of one.
  void in_spec(const Node& spec) {
    if (const Node* labels = spec.find("nodeLabels")) slice_of(*labels);
    if (const Node* selector = spec.find("nodeSelector")) slice_of(*selector);
    if (const Node* jobs = spec.find("replicatedJobs")) {
      for (const Node& job : jobs->items) in_template(job);
    }
    const Node* pods = spec.find("template");
    const Node* pod = pods == nullptr ? nullptr : pods->find("spec");
    if (pod == nullptr) return;
    in_spec(*pod);
    if (spec.find("completions") != nullptr) count_pods(spec, *pod);
  }

  void in_template(const Node& job) {
    const Node* pattern = job.find("template");
    const Node* spec = pattern == nullptr ? nullptr : pattern->find("spec");
    if (spec != nullptr) in_spec(*spec);
  }

  const TpuGeneration* generation_of(const std::string& label) const {
    for (const TpuGeneration& generation : table_.generations) {
      if (std::ranges::find(generation.labels, label) != generation.labels.end())
        return &generation;
    }
    return nullptr;
  }

  void slice_of(const Node& labels) {
    const Node* accelerator = labels.find(table_.pods.accelerator);
    if (accelerator == nullptr || is_unknown(accelerator->text)) return;
    const TpuGeneration* generation = generation_of(accelerator->text);
    if (generation == nullptr) {
      std::vector<std::string> known;
      for (const TpuGeneration& one : table_.generations) {
        known.insert(known.end(), one.labels.begin(), one.labels.end());
      }
      diagnostics_
          .warning(Code::rule_broken, accelerator->span,
                   fmt::format("machines of GKE may not have the TPUs `{}`", accelerator->text))
          .help(source::did_you_mean(accelerator->text, known))
          .help("they have one of: " + slipway::join(known, ", "));
      return;
    }
    const Node* topology = labels.find(table_.pods.topology);
    if (topology == nullptr || !topology->is_scalar() || is_unknown(topology->text) ||
        generation->has_topology(topology->text))
      return;
    diagnostics_
        .error(Code::rule_broken, topology->span,
               fmt::format("TPUs of the generation `{}` have no topology `{}`", generation->name,
                           topology->text))
        .help(generation->possible_topologies());
  }

  // A slice of several machines runs only with a pod on each.
  void count_pods(const Node& job, const Node& pod) {
    const Node* selector = pod.find("nodeSelector");
    const Node* topology = selector == nullptr ? nullptr : selector->find(table_.pods.topology);
    const auto sides = topology == nullptr ? std::nullopt : cluster::tpu_sides(topology->text);
    const int64_t chips = chips_of(pod);
    const Node* completions = job.find("completions");
    const int64_t pods = count_in(completions);
    if (!sides || chips == 0 || pods == 0 || cluster::tpu_chips(*sides) % chips != 0) return;
    const int64_t machines = cluster::tpu_chips(*sides) / chips;
    if (machines == pods) return;
    diagnostics_
        .warning(
            Code::rule_broken, completions->span,
            fmt::format("a slice of {} has {} with {} chips, but this job has {}", topology->text,
                        machines == 1 ? "one machine" : fmt::format("{} machines", machines), chips,
                        pods == 1 ? "one pod" : fmt::format("{} pods", pods)))
        .help(
            "set `completions` and `parallelism` to the machines of a slice, and `replicas` to the "
            "number of slices");
  }

  // The chips that the containers of a pod take together.
  int64_t chips_of(const Node& pod) const {
    int64_t chips = 0;
    const Node* containers = pod.find("containers");
    if (containers == nullptr) return 0;
    for (const Node& container : containers->items) {
      const Node* resources = container.find("resources");
      const Node* limits = resources == nullptr ? nullptr : resources->find("limits");
      if (limits != nullptr) chips += count_in(limits->find(table_.pods.chips));
    }
    return chips;
  }

  const Object& object_;
  const cluster::TpuTable& table_;
  source::Diagnostics& diagnostics_;
};

}  // namespace

void check_tpu_pods(const Object& object, const cluster::TpuTable& table,
                    source::Diagnostics& diagnostics) {
  TpuPodCheck(object, table, diagnostics).run();
}

}  // namespace slipway::kubernetes
