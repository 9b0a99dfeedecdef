// Checks what blueprints set on the lines of nodes and partitions of slurm.conf.
#include "launcher/cluster/slurm_line_check.h"

#include <fmt/core.h>

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "common/slurm_duration.h"
#include "common/text.h"
#include "launcher/cluster/model_part.h"
#include "launcher/cluster/slurm_keys.h"
#include "launcher/cluster/slurm_line.h"
#include "launcher/cluster/slurm_nodes.h"

namespace slipway::cluster {
namespace {

using source::Code;
using source::Span;

// Two keys of which Slurm uses one: slurm.conf(5).
struct KeyPair {
  std::string_view used;
  std::string_view not_used;
};

constexpr auto partition_pairs = std::to_array<KeyPair>({
    {"AllowAccounts", "DenyAccounts"},
    {"AllowQos", "DenyQos"},
    {"DefMemPerNode", "DefMemPerCPU"},
    {"MaxMemPerNode", "MaxMemPerCPU"},
    {"OverSubscribe", "Shared"},
});

// Slurm does not start with both.
constexpr auto node_pairs = std::to_array<KeyPair>({
    {"CoreSpecCount", "CpuSpecList"},
    {"Sockets", "SocketsPerBoard"},
    {"CPUs", "Procs"},
    {"Feature", "Features"},
});

// The settings of one `node_conf` or `partition_conf`.
class LineCheck {
 public:
  LineCheck(const blueprint::Module& module, std::string_view input,
            const std::map<std::string, std::string>& values, source::Diagnostics& diagnostics)
      : module_(module), input_(input), values_(values), diagnostics_(diagnostics) {}

  void keys(std::span<const SlurmKey> known, const std::vector<std::string>& fixed) {
    std::map<const SlurmKey*, std::string> seen;
    for (const auto& [name, value] : values_) {
      const std::string problem = override_problem(name, value, fixed);
      if (!problem.empty()) {
        wrong(name, problem);
        continue;
      }
      const SlurmKey* key = find_key(known, name);
      if (key == nullptr) {
        not_slurms(name, known);
        continue;
      }
      const auto [first, fresh] = seen.emplace(key, name);
      if (!fresh) wrong(name, fmt::format("`{}` and `{}` are the same key", first->second, name));
      const std::string instead = value_problem(*key, value);
      if (instead.empty()) continue;
      wrong(name, fmt::format("Slurm does not take `{}` as `{}`", value, name)).help(instead);
    }
  }

  // The value that the blueprint sets, whatever the case of the key; null if it does not.
  const std::pair<const std::string, std::string>* find(std::string_view key) const {
    for (const auto& entry : values_) {
      if (entry.first.size() == key.size() && to_lower(entry.first) == to_lower(key)) return &entry;
    }
    return nullptr;
  }

  std::optional<int64_t> number(std::string_view key) const {
    const auto* entry = find(key);
    return entry == nullptr ? std::nullopt : to_number<int64_t>(entry->second);
  }

  void exclusive(const KeyPair& pair) {
    const auto* second = find(pair.not_used);
    if (find(pair.used) == nullptr || second == nullptr) return;
    wrong(second->first, fmt::format("a node has either `{}` or `{}`", pair.used, pair.not_used));
  }

  void not_used(const KeyPair& pair) {
    const auto* second = find(pair.not_used);
    if (find(pair.used) == nullptr || second == nullptr) return;
    warn(second->first, fmt::format("`{}` has no effect beside `{}`", pair.not_used, pair.used));
  }

  source::Diagnostic& wrong(const std::string& key, const std::string& problem) {
    const std::string own = own_input(key);
    return diagnostics_.error(Code::no_model, place_of(module_, own.empty() ? input_ : own, key),
                              text(problem, own));
  }

  source::Diagnostic& warn(const std::string& key, const std::string& problem) {
    return diagnostics_.warning(Code::setting_without_effect, place_of(module_, input_, key),
                                text(problem));
  }

 private:
  std::string text(const std::string& problem, std::string_view own = {}) const {
    return fmt::format("`{}` of module `{}`: {}", own.empty() ? input_ : own, module_.id, problem);
  }

  // The input that is this key alone, such as `resume_timeout`, if the blueprint sets it there.
  std::string own_input(std::string_view key) const {
    std::string name;
    for (const char letter : key) {
      if (letter >= 'A' && letter <= 'Z' && !name.empty()) name += '_';
      name += to_lower(std::string_view(&letter, 1));
    }
    const bool in_mapping = place_of(module_, input_, key) != place_of(module_, input_);
    return module_.settings.contains(name) && !in_mapping ? name : "";
  }

  void not_slurms(const std::string& name, std::span<const SlurmKey> known) {
    const std::string meant = source::did_you_mean(name, names_of(known));
    wrong(name, fmt::format("Slurm has no key `{}` there", name))
        .help(meant.empty() ? "its keys are in slurm.conf(5)" : meant);
  }

  const blueprint::Module& module_;
  std::string_view input_;
  const std::map<std::string, std::string>& values_;
  source::Diagnostics& diagnostics_;
};

void check_node(const Nodeset& nodeset, const blueprint::Module& module, const Catalogue& catalogue,
                source::Diagnostics& diagnostics) {
  LineCheck line(module, "node_conf", nodeset.node_conf, diagnostics);
  line.keys(slurm_node_keys(), fixed_node_keys);
  for (const KeyPair& pair : node_pairs) line.exclusive(pair);
  const MachineType* type = catalogue.find_machine(nodeset.machine.machine_type);
  if (type == nullptr || type->assumed) return;
  const auto at_most = [&](const char* key, int64_t most, const char* of) {
    const auto number = line.number(key);
    if (!number || *number <= most) return;
    line.warn(line.find(key)->first,
              fmt::format("a `{}` has {} {}, not {}", type->name, most, of, *number))
        .help("Slurm does not use nodes that have less than their line says");
  };
  at_most("RealMemory", type->memory_mib, "MiB of memory");
  at_most("MemSpecLimit", type->memory_mib, "MiB of memory");
  at_most("CPUs", type->cpus(), "CPUs");
  at_most("CoreSpecCount", type->sockets * type->cores_per_socket, "cores");
}

void check_partition(const Partition& partition, const blueprint::Module& module,
                     source::Diagnostics& diagnostics) {
  LineCheck line(module, "partition_conf", partition.partition_conf, diagnostics);
  line.keys(slurm_partition_keys(), fixed_partition_keys);
  for (const KeyPair& pair : partition_pairs) line.not_used(pair);
  const auto least = line.number("MinNodes"), most = line.number("MaxNodes");
  if (least && most && *least > *most) {
    line.wrong(line.find("MinNodes")->first,
               fmt::format("`MinNodes` is {}, and `MaxNodes` is only {}", *least, *most));
  }
  const auto* usual = line.find("DefaultTime");
  const auto* longest = line.find("MaxTime");
  if (usual == nullptr || longest == nullptr) return;
  const auto usual_time = slurm_duration(usual->second);
  const auto longest_time = slurm_duration(longest->second);
  if (!usual_time || !longest_time || *longest_time == 0 || *usual_time <= *longest_time)
    return;  // 0: no limit
  line.warn(usual->first,
            fmt::format("`DefaultTime` has no effect: it is longer than `MaxTime`, `{}`",
                        longest->second));
}

}  // namespace

void check_slurm_lines(const Cluster& cluster, const blueprint::Deployment& deployment,
                       const Catalogue& catalogue, source::Diagnostics& diagnostics) {
  for (const Nodeset& nodeset : cluster.nodesets) {
    check_node(nodeset, *deployment.find(nodeset.id).module, catalogue, diagnostics);
  }
  for (const Partition& partition : cluster.partitions) {
    check_partition(partition, *deployment.find(partition.id).module, diagnostics);
  }
}

}  // namespace slipway::cluster
