// The room on a compute node in which jobs have a /tmp, /var/tmp and /dev/shm of their own.
//
// Slurm's job_container/tmpfs makes a folder a job there and removes it with the job. We give it a
// file system of its own, so that what jobs fill is never what the node's daemons need, and remove
// what it has left behind: it cleans up in slurmstepd, which may have been killed.
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

namespace slipway::node {

inline constexpr const char* job_container_conf = "/etc/slurm/job_container.conf";

// The folder that a text of job_container.conf names; nothing when it names none.
std::optional<std::filesystem::path> job_space_in(std::string_view job_container_conf_text);

// That of this node's configuration; nothing when its jobs share the node's /tmp.
std::optional<std::filesystem::path> job_space();

// Mounts a file system on `folder`, unless one is mounted there or the folder is on another one
// than / is: half of the free room of the disk, set aside, or a quarter of the memory where / is on
// no disk. `say` is told when that is not what the machine should have had. Throws Error.
void prepare_job_space(const std::filesystem::path& folder,
                       const std::function<void(const std::string&)>& say);

// A file with an ext4 in it of `bytes`, all of which the disk has set aside. What was there before
// is gone. Throws Error.
void make_job_disk(const std::filesystem::path& file, uint64_t bytes);

// job_container.conf as this node's Slurm wants it: from 23.02 on it can be told of /var/tmp, which
// 22.05 refuses to read. `version`: "24.11.5".
std::string job_container_conf_for(std::string text, std::string_view version);

// The jobs that `names`, command lines of root's processes, are slurmstepd of.
std::set<std::string> jobs_with_a_slurmstepd(const std::vector<std::string>& command_lines);

// Removes folders of jobs that no slurmstepd runs for, and returns the jobs. Stops at the deadline;
// the next call goes on.
std::vector<std::string> sweep_job_space(const std::filesystem::path& folder,
                                         std::chrono::milliseconds deadline);

}  // namespace slipway::node
