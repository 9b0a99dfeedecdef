// What of the environment and of the machine a run may show and must know.
#pragma once

#include <map>
#include <string>

namespace slipway::bandwidth {

// Those variables of this process that explain a bandwidth: a list of names in the source, so that
// no secret reaches a report because its name looked right.
std::map<std::string, std::string> explaining_environment();

// Throws Error when Slurm started several tasks, and not by PMIx: every rank of MPI would measure
// itself alone, and the table would look plausible. To be called before MPI_Init, which would end
// the program with words of its own.
void refuse_task_without_pmix();

// Throws Error when Slurm started several tasks, and this one has met no other.
void refuse_world_of_one(int size);

// The rank as the launcher told it, before anybody was met; 0 when nobody did.
int launcher_rank();

// True when mpirun, or srun with PMIx, started this process as one of its ranks.
bool was_launched_by_mpi();

// "Intel(R) Xeon(R) …": the first `model name` of /proc/cpuinfo, "CPU" where there is none.
std::string cpu_name();

// "2026-11-21T08:15:29Z"
std::string utc_now();

}  // namespace slipway::bandwidth
