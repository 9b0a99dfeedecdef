// What root does for a user's container. Everything else runs with the user's rights.
//
// slurmstepd has root as its saved id while a plugin works for the user. A short-lived child takes
// it back, does one thing, and passes a descriptor on. It takes no path, name or size from the
// user: /dev/fuse is a constant, and an image is a descriptor whose file and folders are checked.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>

#include "common/fd.h"

namespace slipway::container {

// /dev/fuse, opened in the user namespace of `process` (a pidfd of the keeper): the kernel mounts
// FUSE only in the namespace that opened the device, where its files can have no device nodes and
// no rights over the node. Empty, with errno set, if the caller has no root to take back, or the
// device is missing.
Fd fuse_device_for(int process);

// A mount of `image` by the kernel's squashfs, detached, read-only, without setuid files and device
// nodes, locked that way for the user namespace of `process`, in which the image's root is the
// user. Empty, with errno set, unless root owns the file and the folders above it, nobody else can
// write them or has the file open for writing, and the caller has a root to take back. The kernel's
// squashfs trusts what it reads, so nobody but root may have written it.
Fd kernel_mount_for(int process, int image);

// Runs `work` as root in a child, which ends after it, and returns the descriptor that it makes. If
// it makes none, the result is empty and errno says why: ETIMEDOUT after `limit`, ECHILD if the
// child died. In the user's namespace it can get signals of the user, such as SIGSTOP.
Fd made_by_root(const std::function<Fd()>& work,
                std::chrono::milliseconds limit = std::chrono::seconds(20));

// Whether only root can write the open file and every folder above it. False where the kernel
// cannot tell: FUSE and file systems without leases.
bool only_root_can_write(int file);

}  // namespace slipway::container
