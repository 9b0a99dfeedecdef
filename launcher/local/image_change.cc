// Plans the steps in which nodes change to another image.
#include "launcher/local/image_change.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "common/error.h"
#include "launcher/local/image_store.h"
#include "launcher/node/slurm_files.h"

namespace slipway::local {
namespace {

using Names = std::vector<std::string>;

constexpr size_t blocks_by_default = 10;

// The nodes whose image changes: compute nodes, or all others.
Names changing(const Plan& current, const Plan& wanted, bool compute) {
  Names names;
  for (const PlannedNode& node : current.nodes) {
    const PlannedNode* after = wanted.find(node.name);
    if (after == nullptr || after->image == node.image) continue;
    if ((node.role == "compute") == compute) names.push_back(node.name);
  }
  return names;
}

std::set<std::string> images_of(const Plan& plan) {
  std::set<std::string> images;
  for (const PlannedNode& node : plan.nodes) images.insert(node.image);
  return images;
}

// The oldest Slurm of all nodes in both plans, and only what each of them has.
node::InstalledSlurm slurm_of_all(const Plan& current, const Plan& wanted,
                                  const SlurmOf& slurm_of) {
  node::InstalledSlurm common = slurm_of(wanted.image());
  for (const std::string& image : images_of(current)) {
    const node::InstalledSlurm slurm = slurm_of(image);
    common.version = std::min(common.version, slurm.version);
    common.has_pmix = common.has_pmix && slurm.has_pmix;
  }
  return common;
}

// The plan `before`, with the image of `wanted` for these nodes.
Plan with_image_of(const Plan& wanted, const Names& nodes, Plan before) {
  for (PlannedNode& node : before.nodes) {
    if (std::ranges::find(nodes, node.name) != nodes.end()) {
      node.image = wanted.find(node.name)->image;
    }
  }
  return before;
}

}  // namespace

std::vector<ImageStep> image_steps(const Plan& current, const Plan& wanted, size_t at_once,
                                   const SlurmOf& slurm_of) {
  const Names first = changing(current, wanted, false), compute = changing(current, wanted, true);
  if (first.empty() && compute.empty()) return {};
  std::vector<ImageStep> steps;
  Plan plan = current;
  node::suit_slurm_files(plan.slurm_files, slurm_of_all(current, wanted, slurm_of));
  if (!first.empty()) {
    plan = with_image_of(wanted, first, std::move(plan));
    steps.push_back({"the controller and login nodes", first, plan});
  }
  if (at_once == 0) at_once = std::max<size_t>(1, compute.size() / blocks_by_default);
  const size_t blocks = (compute.size() + at_once - 1) / at_once;
  for (size_t block = 0; block < blocks; ++block) {
    const auto begin = compute.begin() + static_cast<ptrdiff_t>(block * at_once);
    const auto size = std::min<ptrdiff_t>(static_cast<ptrdiff_t>(at_once), compute.end() - begin);
    const Names nodes(begin, begin + size);
    plan = with_image_of(wanted, nodes, std::move(plan));
    steps.push_back({fmt::format("block {} of {}", block + 1, blocks), nodes, plan});
  }
  return steps;
}

void require_slurm_upgrade(const Plan& current, const Plan& wanted,
                           const cluster::SlurmReleases& releases, const SlurmOf& slurm_of) {
  const SlurmVersion after = slurm_of(wanted.image()).version;
  for (const std::string& image : images_of(current)) {
    const SlurmVersion before = slurm_of(image).version;
    const std::string why = releases.why_not(before, after);
    if (why.empty()) continue;
    throw Error(
        fmt::format("the image cannot change from {} to {} while the deployment runs: {}; destroy "
                    "it first{}",
                    name_of_image(image), name_of_image(wanted.image()), why,
                    before < after ? ", or take an image with a Slurm in between" : ""));
  }
}

}  // namespace slipway::local
