// Lists the keys of nodes and partitions.
#include "launcher/cluster/slurm_keys.h"

#include <strings.h>

#include <algorithm>

namespace slipway::cluster {

const std::vector<std::string> slurm_node_keys = {
    "BcastAddr",    "Boards",          "CoresPerSocket", "CoreSpecCount",  "CpuBind",
    "CPUs",         "CpuSpecList",     "Feature",        "Features",       "Gres",
    "MemSpecLimit", "NodeAddr",        "NodeHostname",   "NodeName",       "Parameters",
    "Port",         "Procs",           "RealMemory",     "Reason",         "RestrictedCoresPerGPU",
    "Sockets",      "SocketsPerBoard", "State",          "ThreadsPerCore", "TmpDisk",
    "Topology",     "TRESWeights",     "Weight"};

const std::vector<std::string> slurm_partition_keys = {"AllocNodes",
                                                       "AllowAccounts",
                                                       "AllowGroups",
                                                       "AllowQos",
                                                       "Alternate",
                                                       "CpuBind",
                                                       "Default",
                                                       "DefaultTime",
                                                       "DefCpuPerGPU",
                                                       "DefMemPerCPU",
                                                       "DefMemPerGPU",
                                                       "DefMemPerNode",
                                                       "DenyAccounts",
                                                       "DenyQos",
                                                       "DisableRootJobs",
                                                       "ExclusiveTopo",
                                                       "ExclusiveUser",
                                                       "GraceTime",
                                                       "Hidden",
                                                       "JobDefaults",
                                                       "LLN",
                                                       "MaxCPUsPerNode",
                                                       "MaxCPUsPerSocket",
                                                       "MaxMemPerCPU",
                                                       "MaxMemPerNode",
                                                       "MaxNodes",
                                                       "MaxTime",
                                                       "MinNodes",
                                                       "Nodes",
                                                       "OverSubscribe",
                                                       "OverTimeLimit",
                                                       "PartitionName",
                                                       "PowerDownOnIdle",
                                                       "PreemptMode",
                                                       "Priority",
                                                       "PriorityJobFactor",
                                                       "PriorityTier",
                                                       "QOS",
                                                       "ReqResv",
                                                       "ResumeTimeout",
                                                       "RootOnly",
                                                       "SelectTypeParameters",
                                                       "Shared",
                                                       "State",
                                                       "SuspendTime",
                                                       "SuspendTimeout",
                                                       "Topology",
                                                       "TRESBillingWeights"};

bool is_slurm_key(const std::vector<std::string>& keys, const std::string& key) {
  return std::ranges::any_of(keys, [&](const std::string& known) {
    return ::strcasecmp(known.c_str(), key.c_str()) == 0;
  });
}

}  // namespace slipway::cluster
