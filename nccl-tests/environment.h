// What a run reads from its environment and machine: the variables that it may report, how the
// launcher started it, and the CPU.
#pragma once

#include <map>
#include <string>

namespace slipway::bandwidth {

// The variables of this process that explain a bandwidth. Their names are a fixed list, so that no
// secret reaches a report because its name happens to match a pattern.
std::map<std::string, std::string> explaining_environment();

// Throws Error if Slurm started several tasks without PMIx: every MPI rank would measure itself
// alone, and the table would look plausible. Call it before MPI_Init, which would end the program
// with a message that does not help.
void refuse_task_without_pmix();

// Throws Error if Slurm started several tasks, but this one is connected to no other.
void refuse_world_of_one(int size);

// The rank that the launcher assigned, known before any connection; 0 if it assigned none.
int launcher_rank();

// True when mpirun, or srun with PMIx, started this process as one of its ranks.
bool was_launched_by_mpi();

// "Intel(R) Xeon(R) …": the first `model name` in /proc/cpuinfo, or "CPU".
std::string cpu_name();

// "2026-11-21T08:15:29Z"
std::string utc_now();

}  // namespace slipway::bandwidth
