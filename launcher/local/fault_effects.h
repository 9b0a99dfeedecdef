// What faults do to a node that runs: in its kernel's terms, by processes in its namespaces.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>

namespace slipway::local {

// Runs `body` in a new process in the namespaces (`flags`) of the process `pid`, and waits for it.
// To be called by the reaper of its children, PID 1. Throws Error with what `body` throws.
void run_in_node(pid_t pid, int flags, const std::function<void()>& body);

// The rest is for the node whose PID 1 is `pid`, and throws Error.

// Stops all of its processes but PID 1, or has them go on.
void freeze(pid_t pid, bool frozen);

// No more can be written to a file system that is the node's alone and in memory, `folder`; none of
// this machine's memory is used up. Or again as before.
void fill_folder(pid_t pid, const std::string& folder, bool full);

// Kills a daemon, and its PID 1 leaves it so; or has PID 1 start it again.
void keep_daemon_away(pid_t pid, const std::string& name, bool away);

// Limits what an interface of the node can send; an empty rate: not any more.
void limit_sending(pid_t pid, const std::string& interface, const std::string& rate);

// Limits what an interface of the caller's network namespace can send.
void limit_rate(const std::string& interface, const std::string& rate);

}  // namespace slipway::local
