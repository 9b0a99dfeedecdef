// Which node of a local cluster runs which pod.
#include "launcher/pods/placement.h"

#include <fmt/core.h>

#include <algorithm>

#include "common/error.h"
#include "common/text.h"

namespace slipway::pods {
namespace {

bool matches(const local::PlannedNode& node, const ReplicatedJob& job,
             const MachineLabels& labels) {
  for (const auto& [label, value] : job.selector) {
    if (label == labels.accelerator &&
        labels.catalogue->machine(node.machine_type).gpu_model != value)
      return false;
    if (label == labels.machine && node.machine_type != value) return false;
  }
  return static_cast<int64_t>(node.gpu_devices.size()) >= job.gpus();
}

// The names of interfaces on the node, by those in pods, which have the same order.
std::map<std::string, std::string> interfaces_of(const ReplicatedJob& job,
                                                 const local::PlannedNode& node) {
  std::map<std::string, std::string> names;
  if (job.interfaces.empty()) names["eth0"] = node.ports.empty() ? "lo" : node.ports[0].interface;
  for (size_t i = 0; i < std::min(job.interfaces.size(), node.ports.size()); ++i) {
    names[job.interfaces[i]] = node.ports[i].interface;
  }
  return names;
}

std::map<std::string, std::string> claims_of(const ReplicatedJob& job,
                                             const local::PlannedNode& node) {
  std::map<std::string, std::string> claims;
  for (const Volume& volume : job.volumes) {
    if (volume.kind != Volume::Kind::claim) continue;
    const auto mount = std::ranges::find(node.mounts, volume.source, &local::Mount::shared);
    if (mount == node.mounts.end()) {
      throw Error(
          fmt::format("the claim `{}` does not exist: node {} mounts no file system of "
                      "this name",
                      volume.source, node.name));
    }
    claims[volume.source] = mount->target;
  }
  return claims;
}

std::string wanted(const ReplicatedJob& job) {
  std::vector<std::string> parts;
  for (const auto& [label, value] : job.selector)
    parts.push_back(fmt::format("{}={}", label, value));
  if (job.gpus() > 0) parts.push_back(fmt::format("{} GPUs", job.gpus()));
  return parts.empty() ? "no special machine" : join(parts, " and ");
}

// Whether jobs of `later` start only after all of `earlier` have completed.
bool follows(const JobSet& set, const ReplicatedJob& later, const std::string& earlier) {
  return std::ranges::any_of(later.depends_on, [&](const Dependency& on) {
    if (on.completed && on.job == earlier) return true;
    const ReplicatedJob* between = set.find(on.job);
    return between != nullptr && follows(set, *between, earlier);
  });
}

class Placement {
 public:
  Placement(const JobSet& set, const std::vector<const local::PlannedNode*>& nodes,
            const MachineLabels& labels)
      : set_(set), nodes_(nodes), labels_(labels) {}

  std::vector<Pod> run() {
    // GPUs first: other pods can run anywhere.
    for (const bool with_gpus : {true, false}) {
      for (const ReplicatedJob& job : set_.jobs) {
        if ((job.gpus() > 0) == with_gpus) choose(job);
      }
    }
    std::vector<Pod> placed;
    std::vector<std::pair<std::string, std::string>> hosts;
    for (const ReplicatedJob& job : set_.jobs) {
      const std::vector<const local::PlannedNode*>& chosen = chosen_[job.name];
      for (int64_t i = 0; i < job.replicas * job.pods; ++i) {
        const local::PlannedNode& node = *chosen[static_cast<size_t>(i)];
        Pod one;
        one.job = job.name;
        one.node = node.name;
        one.replica = i / job.pods;
        one.index = i % job.pods;
        one.name = pod_name(set_, job, one.replica, one.index);
        one.claims = claims_of(job, node);
        one.interfaces = interfaces_of(job, node);
        hosts.emplace_back(one.name, node.name);
        placed.push_back(std::move(one));
      }
    }
    for (Pod& one : placed) one.hosts = hosts;
    return placed;
  }

 private:
  bool may_overlap(const std::string& one, const ReplicatedJob& other) const {
    return !follows(set_, other, one) && !follows(set_, *set_.find(one), other.name);
  }

  void choose(const ReplicatedJob& job) {
    std::vector<const local::PlannedNode*> fit, free;
    std::ranges::copy_if(nodes_, std::back_inserter(fit), [&](const local::PlannedNode* node) {
      return matches(*node, job, labels_);
    });
    std::ranges::copy_if(fit, std::back_inserter(free), [&](const local::PlannedNode* node) {
      return std::ranges::none_of(taken_[node->name],
                                  [&](const std::string& by) { return may_overlap(by, job); });
    });
    const int64_t at_once = std::min(job.pods, job.pods_at_once);
    const bool alone = job.gpus() > 0;
    const int64_t needed = alone ? job.replicas * at_once : 1;
    if (std::ssize(alone ? free : fit) < needed) {
      throw Error(fmt::format(
          "the {} pods want {}, and {} of the {} nodes that run have that{}",
          alone ? needed : job.replicas * job.pods, wanted(job), fit.size(), nodes_.size(),
          free.size() == fit.size()
              ? ""
              : fmt::format("; other pods of the JobSet use {} of them at the same time",
                            fit.size() - free.size())));
    }
    for (int64_t i = 0; i < job.replicas * job.pods; ++i) {
      const int64_t place = i / job.pods * at_once + i % job.pods % std::max<int64_t>(1, at_once);
      chosen_[job.name].push_back(alone ? free[static_cast<size_t>(place)]
                                        : least_used(free.empty() ? fit : free));
      if (alone) taken_[chosen_[job.name].back()->name].push_back(job.name);
    }
  }

  const local::PlannedNode* least_used(const std::vector<const local::PlannedNode*>& nodes) {
    const local::PlannedNode* const found = *std::ranges::min_element(
        nodes, {}, [&](const local::PlannedNode* node) { return used_[node->name]; });
    ++used_[found->name];
    return found;
  }

  const JobSet& set_;
  const std::vector<const local::PlannedNode*>& nodes_;
  const MachineLabels& labels_;
  std::map<std::string, std::vector<const local::PlannedNode*>> chosen_;  // by job
  std::map<std::string, std::vector<std::string>> taken_;  // by node: jobs whose pods have its GPUs
  std::map<std::string, int64_t> used_;                    // by node: other pods
};

}  // namespace

std::vector<Pod> place_pods(const JobSet& set, const std::vector<const local::PlannedNode*>& nodes,
                            const MachineLabels& labels) {
  return Placement(set, nodes, labels).run();
}

}  // namespace slipway::pods
