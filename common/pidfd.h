// Processes by descriptor, which never means another process, as a number can.
#pragma once

#include <sys/types.h>

#include <chrono>

#include "common/fd.h"

namespace slipway {

// A pidfd, or an empty Fd if the process is gone; errno has the reason.
Fd open_pidfd(pid_t pid);

// Sends SIGKILL. Does nothing with an empty Fd.
void kill_process(const Fd& pidfd);

// Waits for the end of the process, or for `limit`; whether it has ended, as with an empty Fd. PID
// 1 of a namespace ends after everything else in it.
bool ends_within(const Fd& pidfd, std::chrono::milliseconds limit);

// The same without a limit.
void wait_for_end(const Fd& pidfd);

}  // namespace slipway
