// A mount namespace that the kernel takes for older than all that come after it.
//
// Slurm's job_container/tmpfs keeps a job's mount namespace as a file in that of slurmd. The kernel
// allows that for a namespace with a higher number than the one that it is kept in
// (mnt_ns_loop() of fs/namespace.c). From Linux 6.18 on each CPU gives out numbers of its own
// range, so a job whose namespace is made on another CPU than slurmd's was may get a lower one:
// then the job cannot start.
#pragma once

namespace slipway::local {

// Gives the caller, which has a mount namespace of its own and one thread, another one with a lower
// number than any CPU will give out. Does nothing where the kernel numbers namespaces in order.
// Throws Error.
void become_oldest_mount_namespace();

}  // namespace slipway::local
