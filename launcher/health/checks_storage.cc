// Checks mounts and free space. Each may hang if a file server does.
#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "common/text.h"
#include "launcher/health/checks.h"

namespace slipway::health {
namespace {

struct MountPoint {
  std::string path, type, options;
};

// /proc/self/mounts writes spaces in paths as \040.
std::vector<MountPoint> mount_points(const Machine& machine) {
  std::vector<MountPoint> found;
  for (const std::string& line : split(machine.read("/proc/self/mounts").value_or(""), '\n')) {
    const std::vector<std::string> words = split(line, ' ');
    if (words.size() >= 4) found.push_back({words[1], words[2], words[3]});
  }
  return found;
}

// node.json lists the deployment's mounts, the policy those that an administrator adds.
std::set<std::string> expected_mounts(const Context& context) {
  std::set<std::string> expected(context.policy.mounts.begin(), context.policy.mounts.end());
  expected.insert(context.profile.mounts.begin(), context.profile.mounts.end());
  return expected;
}

void mounts(const Machine& machine, CheckRun& run, const Doing& doing) {
  std::vector<MountPoint> there = mount_points(machine);
  std::ranges::reverse(there);  // of several mounts at one path, the last is visible
  for (const std::string& path : expected_mounts(run.context)) {
    const auto mount = std::ranges::find(there, path, &MountPoint::path);
    if (mount == there.end()) {
      run.find("mount-missing", path, "not mounted");
      continue;
    }
    doing("reading " + path);
    const auto space = machine.space(path);
    if (!space) {
      run.find("mount-broken", path, fmt::format("the {} mount does not respond", mount->type));
    } else if (space->read_only) {
      run.find("mount-read-only", path, "mounted read-only");
    }
  }
}

// What jobs and daemons need to start: on a small file system only a share of its size, but always
// enough for a job's script and credential.
uint64_t least_free_bytes(const Space& space, const CheckRun& run) {
  constexpr double mib = 1 << 20;
  constexpr double for_one_job = 256 << 10;
  const double least =
      std::min(run.limit("disk_free_mib") * mib,
               run.limit("disk_free_percent") / 100 * static_cast<double>(space.total_bytes));
  return static_cast<uint64_t>(std::max(least, run.limit("disk_free_mib") > 0 ? for_one_job : 0));
}

// How much more free space is needed.
Missing missing_in(const Space& space, uint64_t free_bytes, const CheckRun& run) {
  const auto lack = [](uint64_t least, uint64_t free) { return least > free ? least - free : 0; };
  Missing missing{lack(least_free_bytes(space, run), free_bytes), 0};
  if (space.total_inodes > 0) {
    missing.inodes = lack(static_cast<uint64_t>(run.limit("disk_free_inodes")), space.free_inodes);
  }
  return missing;
}

// A user who fills a file system must not take the node away from everybody else. Users count as
// the cause if their files take more than the missing space. So does what could not be counted in
// time, because only users hide a large file among thousands.
bool is_filled_by_users(const Space& space, const FileOwners& owners, const Missing& missing) {
  Share users = owners.all();
  if (space.is_memory) {
    // All files were counted. What nobody can find is a user's, too: a file without a name that is
    // only mapped, or on its way through a socket. Daemons have theirs open.
    const auto rest = [](uint64_t used, uint64_t known) { return used > known ? used - known : 0; };
    users.bytes += rest(space.total_bytes - space.free_bytes, users.bytes + owners.others.bytes);
    // And the root.
    users.inodes +=
        rest(space.total_inodes - space.free_inodes, users.inodes + owners.others.inodes + 1);
  }
  return space.for_everybody || !owners.is_whole ||
         (users.bytes >= missing.bytes && users.inodes >= missing.inodes);
}

void room(const Machine& machine, const std::string& path, const Space& space, CheckRun& run) {
  const uint64_t free = space.for_everybody ? space.user_free_bytes : space.free_bytes;
  const Missing missing = missing_in(space, free, run);
  if (missing.bytes == 0 && missing.inodes == 0) return;
  const std::vector<std::string> folders =
      space.is_memory ? std::vector{path} : run.context.policy.user_folders;
  const FileOwners owners = machine.owners_of_files(path, folders, missing);
  std::string evidence = missing.bytes > 0 ? fmt::format("{} MiB free", free >> 20)
                                           : fmt::format("{} inodes free", space.free_inodes);
  if (!owners.users.empty()) evidence += "; " + words_of(owners);
  run.find(is_filled_by_users(space, owners, missing) ? "scratch-full" : "disk-full", path,
           std::move(evidence));
}

void disk(const Machine& machine, CheckRun& run, const Doing& doing) {
  for (const std::string& path : run.context.policy.disks) {
    doing("reading " + path);
    const auto space = machine.space(path);
    if (space && space->total_bytes > 0) room(machine, path, *space, run);
  }
}

}  // namespace

void check_storage(const Machine& machine, CheckRun& run, const Doing& doing) {
  run.begin("disk");
  disk(machine, run, doing);
  run.begin("mounts");
  mounts(machine, run, doing);
}

}  // namespace slipway::health
