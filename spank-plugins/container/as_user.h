// Does something with the rights of the job's user only, in a child of slurmstepd, which is root.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <vector>

namespace slipway::container {

struct User {
  uid_t uid = 0;
  gid_t gid = 0;
  std::vector<gid_t> groups;  // supplementary ones
};

struct RunAs {
  uint32_t job = 0;  // the child sees the files of this job, also its private /tmp
  std::chrono::seconds limit = std::chrono::hours(24);
};

// Forks; the child gives up root for good, runs `body` and ends. `body` may throw; what it throws
// is lost. Returns the child's id. Throws Error if there is no child.
pid_t start_as(const User& user, const std::function<void()>& body, uint32_t job = 0);

// The same, and waits. Throws Error with what `body` throws, or if it takes too long: then the
// child is killed.
void run_as(const User& user, const std::function<void()>& body, const RunAs& how = {});

}  // namespace slipway::container
