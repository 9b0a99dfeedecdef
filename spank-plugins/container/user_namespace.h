// User namespaces of a container.
//
// There are two, one in the other. In the outer one the user is root: squashfs images are made with
// every file owned by root, and so these files belong to the user, who may change them in a
// writable container. There the mounts are made. Tasks run in the inner one, with the user's own
// ids or as root: its copy of the mounts is locked, so no task can take one away and see what is
// below.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace slipway::container {

// A line of uid_map or gid_map: ids inside .. inside+count-1 are outside .. outside+count-1.
struct IdLine {
  unsigned inside = 0, outside = 0, count = 1;
};

struct IdMaps {
  std::vector<IdLine> users, groups;
  bool may_set_groups = false;  // only root may allow it
};

// Every id of the caller's namespace as itself: for real root, who needs all of them.
IdMaps all_ids();

// One user and group of the caller's namespace.
IdMaps one_id(uid_t inside, uid_t outside, gid_t group_inside, gid_t group_outside);

// Moves the calling process, which has one thread, into a new user namespace and the namespaces in
// `more` (CLONE_NEW…). Throws Error that names what forbids it and how an administrator allows it.
void enter_user_namespace(const IdMaps& maps, int more);

// What the sysctls of this machine say against user namespaces of ordinary users; empty: nothing.
std::string user_namespaces_forbidden();

}  // namespace slipway::container
