// Does something with the rights of the job's user only, in a child of slurmstepd, which is root.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <vector>

namespace slipway::container {

struct User {
  uid_t uid = 0;
  gid_t gid = 0;
  std::vector<gid_t> groups;  // supplementary ones
};

// Forks; the child gives up root for good, runs `body` and ends. `body` may throw; what it throws
// is lost. With `job`, it sees the files of that job, also its private /tmp. Returns the child's
// id. Throws Error if there is no child.
pid_t start_as(const User& user, const std::function<void()>& body, uint32_t job = 0);

// The same, and waits. Throws Error with what `body` throws.
void run_as(const User& user, const std::function<void()>& body, uint32_t job = 0);

}  // namespace slipway::container
