// The checks of mounts and of room on file systems. Each may hang with a server far away.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "common/text.h"
#include "launcher/health/checks.h"

namespace slipway::health {
namespace {

struct MountPoint {
  std::string path, type, options;
};

// /proc/self/mounts writes blanks in paths as \040.
std::vector<MountPoint> mount_points(const Machine& machine) {
  std::vector<MountPoint> found;
  for (const std::string& line : split(machine.read("/proc/self/mounts").value_or(""), '\n')) {
    const std::vector<std::string> words = split(line, ' ');
    if (words.size() >= 4) found.push_back({words[1], words[2], words[3]});
  }
  return found;
}

// node.json has what the deployer mounts, the policy what an administrator wants besides.
std::set<std::string> expected_mounts(const Context& context) {
  std::set<std::string> expected(context.policy.mounts.begin(), context.policy.mounts.end());
  expected.insert(context.profile.mounts.begin(), context.profile.mounts.end());
  return expected;
}

void mounts(const Machine& machine, Looking& looking, const Doing& doing) {
  std::vector<MountPoint> there = mount_points(machine);
  std::ranges::reverse(there);  // of several at the same place the last one is seen
  for (const std::string& path : expected_mounts(looking.context)) {
    const auto mount = std::ranges::find(there, path, &MountPoint::path);
    if (mount == there.end()) {
      looking.find("mount-missing", path, "it is not mounted");
      continue;
    }
    doing("reading " + path);
    const auto space = machine.space(path);
    if (!space) {
      looking.find("mount-broken", path, fmt::format("its {} does not answer", mount->type));
    } else if (space->read_only) {
      looking.find("mount-read-only", path, "it is mounted read-only");
    }
  }
}

// What jobs and daemons need to begin. Of a small file system it is only a share of its size; but a
// job's script and credential always need some.
uint64_t least_free_bytes(const Space& space, const Looking& looking) {
  constexpr double mib = 1 << 20;
  constexpr double for_one_job = 256 << 10;
  const double least =
      std::min(looking.limit("disk_free_mib") * mib,
               looking.limit("disk_free_percent") / 100 * static_cast<double>(space.total_bytes));
  return static_cast<uint64_t>(
      std::max(least, looking.limit("disk_free_mib") > 0 ? for_one_job : 0));
}

// How much free room is missing.
Missing missing_in(const Space& space, uint64_t free_bytes, const Looking& looking) {
  const auto lack = [](uint64_t least, uint64_t free) { return least > free ? least - free : 0; };
  Missing missing{lack(least_free_bytes(space, looking), free_bytes), 0};
  if (space.total_inodes > 0) {
    missing.inodes =
        lack(static_cast<uint64_t>(looking.limit("disk_free_inodes")), space.free_inodes);
  }
  return missing;
}

// A user who fills a file system must not take the node from everybody. Users have filled what
// would have room without their files; what could not be counted in time counts as theirs, too,
// because only they hide a large file among thousands.
bool is_filled_by_users(const Space& space, const FileOwners& owners, const Missing& missing) {
  const Share users = owners.all();
  return space.for_everybody || !owners.is_whole ||
         (users.bytes >= missing.bytes && users.inodes >= missing.inodes);
}

void room(const Machine& machine, const std::string& path, const Space& space, Looking& looking) {
  const uint64_t free = space.for_everybody ? space.user_free_bytes : space.free_bytes;
  const Missing missing = missing_in(space, free, looking);
  if (missing.bytes == 0 && missing.inodes == 0) return;
  const FileOwners owners =
      machine.owners_of_files(path, looking.context.policy.user_folders, missing);
  std::string evidence = missing.bytes > 0 ? fmt::format("{} MiB are free", free >> 20)
                                           : fmt::format("{} inodes are free", space.free_inodes);
  if (!owners.users.empty()) evidence += "; " + words_of(owners);
  looking.find(is_filled_by_users(space, owners, missing) ? "scratch-full" : "disk-full", path,
               std::move(evidence));
}

void disk(const Machine& machine, Looking& looking, const Doing& doing) {
  for (const std::string& path : looking.context.policy.disks) {
    doing("reading " + path);
    const auto space = machine.space(path);
    if (space && space->total_bytes > 0) room(machine, path, *space, looking);
  }
}

}  // namespace

void check_storage(const Machine& machine, Looking& looking, const Doing& doing) {
  looking.begin("disk");
  disk(machine, looking, doing);
  looking.begin("mounts");
  mounts(machine, looking, doing);
}

}  // namespace slipway::health
