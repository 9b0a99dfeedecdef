// Applies faults to a running node, through its kernel objects and processes in its namespaces.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>

namespace slipway::local {

// Runs `body` in a new process in the namespaces (`flags`) of process `pid` and waits for it. The
// caller must be PID 1, which reaps the process. Throws Error with what `body` throws.
void run_in_node(pid_t pid, int flags, const std::function<void()>& body);

// The functions below act on the node whose PID 1 is `pid`, and throw Error.

// Stops all of the node's processes except PID 1, or resumes them.
void freeze(pid_t pid, bool frozen);

// Fills `folder`, an in-memory file system of the node's own, so that nothing more can be written,
// without using up the host's memory; or restores it.
void fill_folder(pid_t pid, const std::string& folder, bool full);

// Kills a daemon and keeps PID 1 from restarting it, or lets PID 1 start it again.
void keep_daemon_away(pid_t pid, const std::string& name, bool away);

// Limits an interface's sending rate in the node; an empty rate removes the limit.
void limit_sending(pid_t pid, const std::string& interface, const std::string& rate);

// The same for an interface in the caller's network namespace.
void limit_rate(const std::string& interface, const std::string& rate);

}  // namespace slipway::local
