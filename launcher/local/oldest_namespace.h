// Works around a mount check in Linux 6.18 that Slurm's job_container/tmpfs runs into.
//
// job_container/tmpfs mounts a job's namespace as a file in slurmd's namespace. The kernel allows
// that only for a namespace with a higher number than the one it is mounted in (mnt_ns_loop() of
// fs/namespace.c). From Linux 6.18 on, each CPU numbers namespaces from its own range, so a job's
// namespace made on another CPU may get a lower number, and the job cannot start.
#pragma once

namespace slipway::local {

// Moves the caller, which must have its own mount namespace and be single-threaded, to a namespace
// with a lower number than any CPU will hand out. Does nothing on kernels that number namespaces in
// order. Throws Error.
void become_oldest_mount_namespace();

}  // namespace slipway::local
