// Which node of a local cluster runs which pod.
#include "launcher/pods/placement.h"

#include <fmt/core.h>

#include <algorithm>

#include "common/error.h"
#include "common/text.h"

namespace slipway::pods {
namespace {

bool matches(const local::PlannedNode& node, const JobSet& set, const MachineLabels& labels) {
  for (const auto& [label, value] : set.selector) {
    if (label == labels.accelerator &&
        labels.catalogue->machine(node.machine_type).gpu_model != value)
      return false;
    if (label == labels.machine && node.machine_type != value) return false;
  }
  return static_cast<int64_t>(node.gpu_devices.size()) >= set.gpus();
}

// The names of interfaces on the node, by those in pods, which have the same order.
std::map<std::string, std::string> interfaces_of(const JobSet& set,
                                                 const local::PlannedNode& node) {
  std::map<std::string, std::string> names;
  if (set.interfaces.empty()) names["eth0"] = node.ports.empty() ? "lo" : node.ports[0].interface;
  for (size_t i = 0; i < std::min(set.interfaces.size(), node.ports.size()); ++i) {
    names[set.interfaces[i]] = node.ports[i].interface;
  }
  return names;
}

std::map<std::string, std::string> claims_of(const JobSet& set, const local::PlannedNode& node) {
  std::map<std::string, std::string> claims;
  for (const Volume& volume : set.volumes) {
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

std::string wanted(const JobSet& set) {
  std::vector<std::string> parts;
  for (const auto& [label, value] : set.selector)
    parts.push_back(fmt::format("{}={}", label, value));
  if (set.gpus() > 0) parts.push_back(fmt::format("{} GPUs", set.gpus()));
  return parts.empty() ? "no special machine" : join(parts, " and ");
}

}  // namespace

std::vector<PlacedPod> place_pods(const JobSet& set,
                                  const std::vector<const local::PlannedNode*>& nodes,
                                  const MachineLabels& labels) {
  std::vector<const local::PlannedNode*> fit;
  std::ranges::copy_if(nodes, std::back_inserter(fit),
                       [&](const local::PlannedNode* node) { return matches(*node, set, labels); });
  const int64_t count = set.replicas * set.pods;
  const bool shared = set.gpus() == 0;
  if (fit.empty() || (!shared && static_cast<int64_t>(fit.size()) < count)) {
    throw Error(fmt::format("the {} pods want {}, and {} of the {} nodes that run have that", count,
                            wanted(set), fit.size(), nodes.size()));
  }
  std::vector<PlacedPod> placed;
  std::vector<std::pair<std::string, std::string>> hosts;
  for (int64_t i = 0; i < count; ++i) {
    const local::PlannedNode& node = *fit[static_cast<size_t>(i) % fit.size()];
    PlacedPod one;
    one.node = node.name;
    one.pod.job = i / set.pods;
    one.pod.index = i % set.pods;
    one.pod.name = fmt::format("{}-{}-{}-{}", set.name, set.job, one.pod.job, one.pod.index);
    one.pod.claims = claims_of(set, node);
    one.pod.interfaces = interfaces_of(set, node);
    hosts.emplace_back(one.pod.name, node.name);
    placed.push_back(std::move(one));
  }
  for (PlacedPod& one : placed) one.pod.hosts = hosts;
  return placed;
}

}  // namespace slipway::pods
