// Lists the keys of nodes and partitions.
#include "launcher/cluster/slurm_keys.h"

#include <strings.h>

#include <algorithm>
#include <array>
#include <limits>

namespace slipway::cluster {
namespace {

using Kind = SlurmKey::Kind;

constexpr uint64_t most_16 = std::numeric_limits<uint16_t>::max();
constexpr uint64_t most_32 = std::numeric_limits<uint32_t>::max();
constexpr uint64_t most_64 = std::numeric_limits<uint64_t>::max();
constexpr std::string_view bindings =
    "none,no,off,socket,sockets,ldom,ldoms,core,cores,thread,threads";

constexpr SlurmKey number(std::string_view name, uint64_t least, uint64_t most,
                          std::string_view words = {}) {
  return {name, Kind::number, words, least, most};
}

constexpr auto node_keys = std::to_array<SlurmKey>({
    {"BcastAddr"},
    number("Boards", 1, most_16),
    number("CoresPerSocket", 1, most_16),
    number("CoreSpecCount", 0, most_16),
    {"CpuBind", Kind::options, bindings},
    number("CPUs", 1, most_16),
    {"CpuSpecList", Kind::ids},
    {"Feature", Kind::features},
    {"Features", Kind::features},
    {"Gres", Kind::gres},
    number("MemSpecLimit", 0, most_64),
    {"NodeAddr"},
    {"NodeHostname"},
    {"NodeName"},
    {"Parameters"},
    {"Port"},
    number("Procs", 1, most_16),
    number("RealMemory", 1, most_64),
    {"Reason"},
    number("RestrictedCoresPerGPU", 0, most_16),
    number("Sockets", 1, most_16),
    number("SocketsPerBoard", 1, most_16),
    {"State", Kind::words, "CLOUD,DOWN,DRAIN,FAIL,FAILING,FUTURE,UNKNOWN"},
    number("ThreadsPerCore", 1, most_16),
    number("TmpDisk", 0, most_32),
    {"Topology"},
    {"TRESWeights", Kind::weights},
    number("Weight", 0, most_32),
});

constexpr auto partition_keys = std::to_array<SlurmKey>({
    {"AllocNodes"},
    {"AllowAccounts"},
    {"AllowGroups"},
    {"AllowQos"},
    {"Alternate"},
    {"CpuBind", Kind::options, bindings},
    {"Default", Kind::flag},
    {"DefaultTime", Kind::time},
    number("DefCpuPerGPU", 0, most_64),
    number("DefMemPerCPU", 0, most_64),
    number("DefMemPerGPU", 0, most_64),
    number("DefMemPerNode", 0, most_64),
    {"DenyAccounts"},
    {"DenyQos"},
    {"DisableRootJobs", Kind::flag},
    {"ExclusiveTopo", Kind::flag},
    {"ExclusiveUser", Kind::flag},
    number("GraceTime", 0, most_32),
    {"Hidden", Kind::flag},
    {"LLN", Kind::flag},
    number("MaxCPUsPerNode", 0, most_32),
    number("MaxCPUsPerSocket", 0, most_32),
    number("MaxMemPerCPU", 0, most_64),
    number("MaxMemPerNode", 0, most_64),
    number("MaxNodes", 0, most_32),
    {"MaxTime", Kind::time},
    number("MinNodes", 0, most_32),
    {"Nodes"},
    {"OverSubscribe", Kind::words, "NO,EXCLUSIVE,YES,FORCE"},
    number("OverTimeLimit", 0, 65533),
    {"PartitionName"},
    {"PowerDownOnIdle", Kind::flag},
    {"PreemptMode", Kind::options, "OFF,CANCEL,GANG,REQUEUE,SUSPEND,WITHIN"},
    number("Priority", 0, most_16),
    number("PriorityJobFactor", 0, 65533),
    number("PriorityTier", 0, 65533),
    {"QOS"},
    {"ReqResv", Kind::flag},
    number("ResumeTimeout", 0, most_16),
    {"RootOnly", Kind::flag},
    {"SelectTypeParameters", Kind::words, "CR_Core,CR_Core_Memory,CR_Socket,CR_Socket_Memory"},
    {"Shared", Kind::words, "NO,EXCLUSIVE,YES,FORCE"},
    {"State", Kind::words, "UP,DOWN,DRAIN,INACTIVE"},
    number("SuspendTime", 0, most_32, "-1"),
    number("SuspendTimeout", 0, most_16),
    {"Topology"},
    {"TRESBillingWeights", Kind::weights},
});

}  // namespace

std::span<const SlurmKey> slurm_node_keys() {
  return node_keys;
}

std::span<const SlurmKey> slurm_partition_keys() {
  return partition_keys;
}

const SlurmKey* find_key(std::span<const SlurmKey> keys, std::string_view name) {
  const auto found = std::ranges::find_if(keys, [&](const SlurmKey& key) {
    return key.name.size() == name.size() &&
           ::strncasecmp(key.name.data(), name.data(), name.size()) == 0;
  });
  return found == keys.end() ? nullptr : &*found;
}

std::vector<std::string> names_of(std::span<const SlurmKey> keys) {
  std::vector<std::string> names;
  for (const SlurmKey& key : keys) names.emplace_back(key.name);
  return names;
}

}  // namespace slipway::cluster
