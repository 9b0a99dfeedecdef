// The mount namespace of a job, with its private /tmp and /dev/shm: job_container.conf(5).
//
// slurmstepd itself stays outside of it, and only its tasks are moved there. What a job names as an
// image or a mount may exist only inside.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace slipway::container {

// Where Slurm keeps the namespace of `job`: the mount of an nsfs file `…/JOB/.ns` in the text of
// /proc/self/mountinfo. Only root makes such mounts in slurmstepd's namespace. Empty: the job has
// no namespace of its own.
std::string job_namespace_in(std::string_view mountinfo, uint32_t job);

// Moves the calling process into the namespace of `job`; stays where the job has none. Takes root
// back if it is the saved id, and keeps it: the caller gives it up. Returns 0 or an errno.
// After fork() only; the working directory becomes the root.
int enter_job_namespace(uint32_t job);

}  // namespace slipway::container
