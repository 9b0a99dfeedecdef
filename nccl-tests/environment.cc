// What a run reads from its environment and machine.
#include "nccl-tests/environment.h"

#include <charconv>
#include <cstdlib>
#include <ctime>
#include <string_view>

#include <fmt/core.h>

#include "common/error.h"
#include "common/file.h"
#include "common/text.h"
#include "common/utc.h"
#include "nccl-tests/launch.h"

namespace slipway::bandwidth {
namespace {

constexpr const char* explaining_names[] = {
    "NCCL_ALGO",
    "NCCL_BUFFSIZE",
    "NCCL_CROSS_NIC",
    "NCCL_DEBUG",
    "NCCL_DMABUF_ENABLE",
    "NCCL_IB_ADAPTIVE_ROUTING",
    "NCCL_IB_GID_INDEX",
    "NCCL_IB_HCA",
    "NCCL_IB_QPS_PER_CONNECTION",
    "NCCL_IB_TC",
    "NCCL_MAX_NCHANNELS",
    "NCCL_MIN_NCHANNELS",
    "NCCL_NET",
    "NCCL_NET_GDR_LEVEL",
    "NCCL_NET_PLUGIN",
    "NCCL_NSOCKS_PERTHREAD",
    "NCCL_NVLS_ENABLE",
    "NCCL_P2P_DISABLE",
    "NCCL_P2P_LEVEL",
    "NCCL_PROTO",
    "NCCL_SHM_DISABLE",
    "NCCL_SOCKET_IFNAME",
    "NCCL_SOCKET_NTHREADS",
    "NCCL_TESTS_ALLTOALLV_MATRIX_FILE",
    "NCCL_TESTS_ALLTOALLV_MATRIX_SCALE",
    "NCCL_TESTS_ALLTOALLV_SPREAD",
    "NCCL_TESTS_DEVICE",
    "NCCL_TESTS_MIN_BW",
    "NCCL_TESTS_SPLIT",
    "NCCL_TESTS_SPLIT_MASK",
    "NCCL_TUNER_PLUGIN",
    "OMPI_MCA_btl",
    "OMPI_MCA_btl_tcp_if_exclude",
    "OMPI_MCA_btl_tcp_if_include",
    "OMPI_MCA_btl_tcp_links",
    "OMPI_MCA_coll",
    "OMPI_MCA_hwloc_base_binding_policy",
    "OMPI_MCA_mpi_yield_when_idle",
    "OMPI_MCA_mtl",
    "OMPI_MCA_pml",
    "SLURM_CLUSTER_NAME",
    "SLURM_CPUS_PER_TASK",
    "SLURM_CPU_BIND",
    "SLURM_GPUS_PER_NODE",
    "SLURM_JOB_ID",
    "SLURM_JOB_NODELIST",
    "SLURM_JOB_NUM_NODES",
    "SLURM_JOB_PARTITION",
    "SLURM_NTASKS",
    "SLURM_NTASKS_PER_NODE",
    "SLURM_STEP_ID",
    "SLURM_TASKS_PER_NODE",
};

int number_of(const char* name) {
  const char* const text = std::getenv(name);
  return text == nullptr ? 0 : std::atoi(text);
}

}  // namespace

std::map<std::string, std::string> explaining_environment() {
  std::map<std::string, std::string> found;
  for (const char* name : explaining_names) {
    if (const char* value = std::getenv(name)) found.emplace(name, value);
  }
  return found;
}

bool was_launched_by_mpi() {
  // PMI_RANK alone is PMI-1 or PMI-2, which Open MPI does not speak: its ranks would be alone.
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK"}) {
    if (std::getenv(name) != nullptr) return true;
  }
  return false;
}

void refuse_task_without_pmix() {
  const int tasks = number_of("SLURM_NTASKS");
  if (tasks > 1 && !was_launched_by_mpi()) {
    throw Error(
        fmt::format("Slurm started {} tasks, but this one cannot find the others, because it was "
                    "started without PMIx; use `srun --mpi=pmix`",
                    tasks));
  }
}

void refuse_world_of_one(int size) {
  const int tasks = number_of("SLURM_NTASKS");
  if (size == 1 && tasks > 1) {
    throw Error(
        fmt::format("Slurm started {} tasks, but this one found no other: each would measure "
                    "itself alone",
                    tasks));
  }
}

int launcher_rank() {
  const Share share = read_share();
  for (const char* name :
       {"SLIPWAY_RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"}) {
    if (std::getenv(name) != nullptr) return number_of(name) * share.of + share.number;
  }
  return share.number;
}

std::string cpu_name() {
  for (const std::string& line : split(read_file("/proc/cpuinfo"), '\n')) {
    if (!line.starts_with("model name")) continue;
    return std::string(trim(std::string_view(line).substr(line.find(':') + 1)));
  }
  return "CPU";
}

std::string utc_now() {
  return utc_text(std::time(nullptr));
}

}  // namespace slipway::bandwidth
