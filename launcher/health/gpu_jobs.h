// Tells dcgm-exporter which job uses which GPU, so that its metrics have the label `hpc_job`: a
// file for each GPU with the job's number, in the folder of --hpc-job-mapping-dir
// (https://github.com/NVIDIA/dcgm-exporter, "HPC job mapping").
//
// The prolog writes the files, and the epilog removes them, also if a job's slurmstepd was killed.
// If an epilog is lost with its node's slurmd, the next job on the GPU replaces the file.
#pragma once

#include <filesystem>
#include <set>
#include <string>

namespace slipway::health {

inline constexpr const char* gpu_jobs_folder = "/run/slipway/gpu-jobs";

// Before a job that Slurm gave these GPUs. Throws Error.
void map_gpus(const std::filesystem::path& folder, const std::string& job,
              const std::set<unsigned>& gpus);

// After a job: removes its files, whatever GPUs it had. Throws Error.
void unmap_gpus(const std::filesystem::path& folder, const std::string& job);

}  // namespace slipway::health
