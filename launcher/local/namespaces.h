// Starts processes in new or existing namespaces, and ends them.
#pragma once

#include <sched.h>
#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

#include "common/fd.h"

namespace slipway::local {

// The namespaces that a supervisor and each of its nodes create, in addition to an ordinary user's
// user namespace.
inline constexpr int own_namespaces =
    CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWUTS | CLONE_NEWIPC;

// Whether a node can have an uptime different from the host's.
bool has_time_namespaces();

// The namespaces that a node creates: also a time namespace where the kernel has them.
int node_namespaces();

// One line of a user namespace's id map: ids inside .. inside+count-1 map to outside ..
// outside+count-1.
struct IdRange {
  unsigned inside = 0;
  unsigned outside = 0;
  unsigned count = 0;
};

// The ids of an ordinary user's cluster: 0 inside is the user, 1 and up are the user's subordinate
// ids.
struct IdMap {
  std::vector<IdRange> users;
  std::vector<IdRange> groups;
};

// The range of `user` (by name or by `uid`) in the text of /etc/subuid or /etc/subgid. Count 0 if
// the user has none.
IdRange subordinate_range(const std::string& text, const std::string& user, unsigned uid);

// The map of the calling user. Throws Error, with the command to run, if the user has no
// subordinate ids.
IdMap id_map_of_caller();

// Starts `body` in a child with new namespaces: a user namespace with `map`, if given, and those in
// `flags` (CLONE_NEW…). With CLONE_NEWPID the child is PID 1; with CLONE_NEWTIME its uptime starts
// at zero (CLOCK_BOOTTIME, /proc/uptime). The child never returns from `body`; an exception ends it
// with status 1. Returns its pid as the caller sees it. The child's parent is the caller's reaper,
// not necessarily the caller. Throws Error if a namespace cannot be made.
pid_t start_in_new_namespaces(int flags, const IdMap* map, const std::function<void()>& body);

// Starts `body` as a new process in the namespaces (`flags`) of the process that `pidfd` refers to.
// Returns its pid as the caller sees it; the caller's reaper becomes its parent.
pid_t start_in_namespaces_of(int pidfd, int flags, const std::function<void()>& body);

// The network namespace of the process `pid`, a number in the caller's PID namespace, whichever
// /proc is mounted. Programs that the caller starts inherit the descriptor. Throws Error.
Fd network_namespace_of(pid_t pid);

// Kills the process that `pidfd` refers to and waits for its end; for PID 1 of a namespace, until
// everything in the namespace has ended. Does nothing with an empty Fd.
void end_process(const Fd& pidfd);

}  // namespace slipway::local
