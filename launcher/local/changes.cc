// Compares two plans to find what must change in a running deployment.
#include "launcher/local/changes.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "common/error.h"
#include "common/text.h"
#include "launcher/local/image_store.h"

namespace slipway::local {
namespace {

template <class T>
const T* find(const std::vector<T>& items, std::string T::*member, const std::string& value) {
  const auto found = std::ranges::find(items, value, member);
  return found == items.end() ? nullptr : &*found;
}

// Why a node must be replaced; "" if it can stay.
std::string difference(const PlannedNode& before, const Plan& current, const PlannedNode& after,
                       const Plan& wanted) {
  if (before.machine_type != after.machine_type) {
    return fmt::format("its machine type is {}, and was {}", after.machine_type,
                       before.machine_type);
  }
  if (before.image != after.image) {
    return fmt::format("its image is {}, and was {}", name_of_image(after.image),
                       name_of_image(before.image));
  }
  const auto ports = [](const PlannedNode& node, const Plan& plan) {
    std::vector<std::string> texts;
    for (const Port& port : node.ports) {
      texts.push_back(fmt::format("{} {} {} {}", port.interface, port.address, port.mtu_bytes,
                                  plan.bridges.at(port.bridge).name));
    }
    return texts;
  };
  if (ports(before, current) != ports(after, wanted)) return "its network interfaces change";
  const auto mounts = [](const PlannedNode& node) {
    std::vector<std::string> texts;
    for (const Mount& mount : node.mounts) texts.push_back(mount.shared + " " + mount.target);
    return texts;
  };
  if (mounts(before) != mounts(after)) return "its file systems change";
  if (before.gpu_devices != after.gpu_devices) return "its GPUs change";
  if (before.node_json != after.node_json) return "its node profile changes";
  if (current.files_of(before) != wanted.files_of(after)) return "the files of its image change";
  if (current.monitoring != wanted.monitoring) {
    return fmt::format("its monitoring changes from {} to {}", current.monitoring,
                       wanted.monitoring);
  }
  if (after.role != "controller") return "";
  if (current.slurmdbd_conf.empty() != wanted.slurmdbd_conf.empty()) {
    return wanted.slurmdbd_conf.empty() ? "job accounting is turned off"
                                        : "job accounting is turned on";
  }
  if (current.tells != wanted.tells) {
    return wanted.tells ? "its health policy now tells people what happens"
                        : "its health policy no longer tells anybody";
  }
  if (current.admits != wanted.admits) {
    return wanted.admits ? "its health policy now has deep checks"
                         : "its health policy no longer has deep checks";
  }
  if (current.elastic() == wanted.elastic()) return "";
  return wanted.elastic() ? "it now starts nodes on demand" : "it no longer starts nodes on demand";
}

// The lines of the files without comments and blank lines: only those about partitions, or only the
// others.
std::vector<std::string> meaning(const std::map<std::string, std::string>& files, bool partitions) {
  std::vector<std::string> kept;
  for (const auto& [name, text] : files) {
    for (const std::string& line : split(text, '\n')) {
      if (line.empty() || line[0] == '#') continue;
      if (line.starts_with("PartitionName=") == partitions) kept.push_back(name + ": " + line);
    }
  }
  return kept;
}

void compare_networks(const Plan& current, const Plan& wanted, Changes& changes) {
  for (const Bridge& bridge : wanted.bridges) {
    const Bridge* before = find(current.bridges, &Bridge::network, bridge.network);
    if (before == nullptr) {
      changes.networks_added.push_back(bridge.network);
    } else if (before->address != bridge.address) {
      throw Error(fmt::format(
          "the address range of network `{}` cannot change while the deployment runs (its gateway "
          "is {}, and would be {}): destroy it first",
          bridge.network, before->address, bridge.address));
    }
  }
  for (const Bridge& bridge : current.bridges) {
    if (find(wanted.bridges, &Bridge::network, bridge.network) == nullptr) {
      changes.networks_removed.push_back(bridge.network);
    }
  }
}

std::string names(const std::vector<std::string>& list) {
  constexpr size_t most = 8;
  if (list.size() <= most) return join(list, ", ");
  return fmt::format("{}, … {} ({} in all)", list.front(), list.back(), list.size());
}

std::vector<std::string> with_replaced(std::vector<std::string> nodes, const Changes& changes) {
  for (const Changes::Replaced& one : changes.replaced) nodes.push_back(one.node);
  return nodes;
}

}  // namespace

bool Changes::any() const {
  return !(added.empty() && removed.empty() && replaced.empty() && networks_added.empty() &&
           networks_removed.empty()) ||
         hosts || slurm != Slurm::nothing;
}

std::vector<std::string> Changes::stopped() const {
  return with_replaced(removed, *this);
}

std::vector<std::string> Changes::started() const {
  return with_replaced(added, *this);
}

Changes compare(const Plan& current, const Plan& wanted) {
  if (current.cluster != wanted.cluster) {
    throw Error(
        fmt::format("the name of the cluster cannot change while the deployment runs (it "
                    "is `{}`, and would be `{}`): destroy it first",
                    current.cluster, wanted.cluster));
  }
  Changes changes;
  compare_networks(current, wanted, changes);
  for (const PlannedNode& node : wanted.nodes) {
    const PlannedNode* before = current.find(node.name);
    if (before == nullptr) {
      changes.added.push_back(node.name);
    } else if (const std::string why = difference(*before, current, node, wanted); !why.empty()) {
      changes.replaced.push_back({node.name, why});
    }
  }
  for (const PlannedNode& node : current.nodes) {
    if (wanted.find(node.name) == nullptr) {
      changes.removed.push_back(node.name);
    }
  }
  changes.hosts = current.hosts != wanted.hosts;
  // Slurm reads nodes, and most of its settings, only when slurmctld starts.
  if (meaning(current.slurm_files, false) != meaning(wanted.slurm_files, false)) {
    changes.slurm = Changes::Slurm::restart;
  } else if (meaning(current.slurm_files, true) != meaning(wanted.slurm_files, true)) {
    changes.slurm = Changes::Slurm::reread;
  }
  return changes;
}

std::vector<std::string> lines(const Changes& changes) {
  std::vector<std::string> lines;
  const auto add = [&](const char* what, const std::vector<std::string>& list) {
    if (!list.empty()) lines.push_back(fmt::format("{}: {}", what, names(list)));
  };
  add("networks added", changes.networks_added);
  add("networks removed", changes.networks_removed);
  add("nodes added", changes.added);
  add("nodes removed", changes.removed);
  std::map<std::string, std::vector<std::string>> replaced;
  for (const Changes::Replaced& one : changes.replaced) replaced[one.why].push_back(one.node);
  for (const auto& [why, nodes] : replaced) {
    lines.push_back(fmt::format("nodes replaced: {} ({})", names(nodes), why));
  }
  if (changes.slurm == Changes::Slurm::reread) lines.push_back("Slurm rereads its partitions");
  if (changes.slurm == Changes::Slurm::restart) lines.push_back("slurmctld restarts");
  return lines;
}

}  // namespace slipway::local
