// Disk space on a compute node for jobs' private /tmp, /var/tmp and /dev/shm.
//
// Slurm's job_container/tmpfs makes a folder for each job and removes it with the job. We put these
// folders on a separate file system, so that jobs cannot fill the space that the node's daemons
// need. We also remove leftovers: Slurm cleans up in slurmstepd, which may have been killed.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/slurm_version.h"

namespace slipway::node {

inline constexpr const char* job_container_conf = "/etc/slurm/job_container.conf";

// The folder in the text of a job_container.conf; empty if it names none.
std::optional<std::filesystem::path> job_space_in(std::string_view job_container_conf_text);

// The folder in this node's configuration; empty if its jobs share the node's /tmp.
std::optional<std::filesystem::path> job_space();

// Mounts a file system on `folder`, unless something is mounted there or the folder is not on the
// root file system: half of the disk's free space, preallocated, or a quarter of the memory if / is
// not on a disk. Reports to `say` if the machine should have had something better. Throws Error.
void prepare_job_space(const std::filesystem::path& folder,
                       const std::function<void(const std::string&)>& say);

// Makes a preallocated file of `bytes` with an ext4 file system in it, replacing what was there.
// Throws Error.
void make_job_disk(const std::filesystem::path& file, uint64_t bytes);

// Adapts job_container.conf to this node's Slurm: from 23.02 on it can list /var/tmp, which 22.05
// refuses to read.
std::string job_container_conf_for(std::string text, const SlurmVersion& version);

// The jobs that have a slurmstepd among these command lines of root's processes.
std::set<std::string> jobs_with_a_slurmstepd(const std::vector<std::string>& command_lines);

// The jobs that run on this machine, by their slurmstepd.
std::set<std::string> running_jobs();

// Removes folders of jobs that have no slurmstepd, and returns the jobs. Stops at the deadline; the
// next call continues.
std::vector<std::string> sweep_job_space(const std::filesystem::path& folder,
                                         std::chrono::milliseconds deadline);

}  // namespace slipway::node
