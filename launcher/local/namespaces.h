// Processes in namespaces of their own.
#pragma once

#include <sched.h>
#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

#include "common/fd.h"

namespace slipway::local {

// What a supervisor, and each of its nodes, has of its own, besides an ordinary user's user
// namespace.
inline constexpr int own_namespaces =
    CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWUTS | CLONE_NEWIPC;

// Whether a node can have been up for another time than the machine that it is on.
bool has_time_namespaces();

// What a node has of its own: also the time since its start, where the kernel can do that.
int node_namespaces();

// One line of a user namespace's id map: ids inside .. inside+count-1 are outside ..
// outside+count-1.
struct IdRange {
  unsigned inside = 0;
  unsigned outside = 0;
  unsigned count = 0;
};

// The ids that an ordinary user's cluster runs with: 0 inside is the user, 1 and up are the user's
// subordinate ids.
struct IdMap {
  std::vector<IdRange> users;
  std::vector<IdRange> groups;
};

// The range of `user` (a name; `uid` may stand in its place) in the text of /etc/subuid or
// /etc/subgid. A count of 0 when there is none.
IdRange subordinate_range(const std::string& text, const std::string& user, unsigned uid);

// The map of the calling user. Throws Error, with what to run, when the user has no subordinate
// ids.
IdMap id_map_of_caller();

// Starts `body` as a child whose namespaces are new: a user namespace with `map` when there is one,
// and `flags` (CLONE_NEW…); with CLONE_NEWPID it is PID 1 there, with CLONE_NEWTIME it has been up
// for no time (CLOCK_BOOTTIME, /proc/uptime). The child never returns from
// `body`; an exception ends it with status 1. Returns its pid as seen by the caller. The child is a
// direct child of the caller's reaper, not necessarily of the caller. Throws Error when a namespace
// cannot be made.
pid_t start_in_new_namespaces(int flags, const IdMap* map, const std::function<void()>& body);

// Starts `body` as a new process in the namespaces (`flags`) of the process behind `pidfd`. Returns
// its pid as seen by the caller, whose reaper becomes its parent.
pid_t start_in_namespaces_of(int pidfd, int flags, const std::function<void()>& body);

// A pidfd, or an empty Fd when the process is gone.
Fd open_pidfd(pid_t pid);

// Kills the process behind `pidfd` and waits for its end; of PID 1 of a namespace, for the end of
// everything in it. Does nothing with an empty Fd.
void end_process(const Fd& pidfd);

// The waiting alone.
void wait_for_end(const Fd& pidfd);

}  // namespace slipway::local
