// Disk space on a compute node for jobs' private folders.
#include "launcher/node/job_space.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <linux/magic.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <algorithm>

#include "common/error.h"
#include "common/fd.h"
#include "common/file.h"
#include "common/process.h"
#include "common/slurm_version.h"
#include "common/text.h"

namespace slipway::node {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view base_path = "BasePath=";
constexpr uint64_t least_disk_bytes = uint64_t{1} << 30;
// A file in memory costs about a kilobyte even if it is empty.
constexpr const char* memory_options = "mode=0755,size=25%,nr_inodes=500k";

bool is_number(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

dev_t device_of(const fs::path& path) {
  struct stat info = {};
  if (::stat(path.c_str(), &info) != 0)
    throw_errno(fmt::format("cannot inspect {}", path.native()));
  return info.st_dev;
}

struct Room {
  bool is_disk = false;   // neither memory nor an overlay
  bool is_layer = false;  // of an overlay
  uint64_t free_bytes = 0;
};

Room room_of(const fs::path& folder) {
  struct statfs info = {};
  if (::statfs(folder.c_str(), &info) != 0) {
    throw_errno(fmt::format("cannot inspect {}", folder.native()));
  }
  const bool is_disk = info.f_type == EXT4_SUPER_MAGIC || info.f_type == XFS_SUPER_MAGIC ||
                       info.f_type == BTRFS_SUPER_MAGIC;
  return {is_disk, info.f_type == OVERLAYFS_SUPER_MAGIC,
          static_cast<uint64_t>(info.f_bavail) * static_cast<uint64_t>(info.f_bsize)};
}

void mount_memory(const fs::path& folder) {
  if (::mount("tmpfs", folder.c_str(), "tmpfs", MS_NOSUID | MS_NODEV, memory_options) != 0) {
    throw_errno(fmt::format("cannot mount {}", folder.native()));
  }
}

void mount_disk(const fs::path& folder, uint64_t bytes) {
  const fs::path file = folder.native() + ".ext4";
  make_job_disk(file, bytes);
  run_checked({"/bin/mount", "-o", "loop,nosuid,nodev", file, folder});
}

// Folders of jobs below `folder`, by job: <folder>/<job>, or <folder>/<node>/<job> in Slurm 22.05.
std::vector<fs::path> job_folders(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code gone;
  for (const auto& entry : fs::directory_iterator(folder, gone)) {
    if (!entry.is_directory(gone) || entry.is_symlink(gone)) continue;
    if (is_number(entry.path().filename())) {
      found.push_back(entry.path());
      continue;
    }
    for (const auto& below : fs::directory_iterator(entry.path(), gone)) {
      if (below.is_directory(gone) && is_number(below.path().filename())) {
        found.push_back(below.path());
      }
    }
  }
  std::ranges::sort(found, {}, &fs::path::filename);
  return found;
}

// Those that a slurmstepd may have. Users choose the arguments of a setuid program.
std::vector<std::string> command_lines_of_root() {
  constexpr size_t longest_line = 1 << 16;  // its title may be padded up to its environment
  std::vector<std::string> lines;
  std::error_code gone;
  for (const auto& entry : fs::directory_iterator("/proc", gone)) {
    struct stat info = {};
    if (!is_number(entry.path().filename()) || ::stat(entry.path().c_str(), &info) != 0 ||
        info.st_uid != 0) {
      continue;
    }
    try {
      lines.push_back(read_regular_file(entry.path() / "cmdline", longest_line));
    } catch (const Error&) {
      // The process has just ended, or is not a slurmstepd.
    }
  }
  return lines;
}

void remove_job_folder(const fs::path& folder, std::chrono::milliseconds deadline) {
  ::umount2((folder / ".ns").c_str(), MNT_DETACH | UMOUNT_NOFOLLOW);
  ::umount2(folder.c_str(), MNT_DETACH | UMOUNT_NOFOLLOW);
  // A job may have nested folders arbitrarily deep: rm(1) needs neither a full path nor a
  // descriptor for each.
  run_process({"/bin/rm", "-rf", "--one-file-system", "--", folder},
              {.input = "", .deadline = deadline});
}

}  // namespace

std::optional<fs::path> job_space_in(std::string_view text) {
  for (const std::string& line : split(std::string(text), '\n')) {
    if (!line.starts_with(base_path)) continue;
    const std::string value = line.substr(base_path.size());
    return fs::path(value.substr(0, value.find(' ')));  // other keys may follow
  }
  return std::nullopt;
}

std::optional<fs::path> job_space() {
  if (!fs::exists(job_container_conf)) return std::nullopt;
  return job_space_in(read_file(job_container_conf));
}

void prepare_job_space(const fs::path& folder, const std::function<void(const std::string&)>& say) {
  make_directories(folder);
  const Room room = room_of(folder);
  const bool is_mounted = device_of(folder) != device_of(folder.parent_path());
  const bool is_elsewhere = device_of(folder) != device_of("/") && !room.is_layer;
  if (is_mounted || is_elsewhere) return;
  if (room.is_disk && room.free_bytes / 2 >= least_disk_bytes) {
    try {
      mount_disk(folder, room.free_bytes / 2);
      return;
    } catch (const Error& error) {
      say(fmt::format("{}; jobs' private /tmp is in memory", error.what()));
    }
  }
  mount_memory(folder);
}

void make_job_disk(const fs::path& file, uint64_t bytes) {
  fs::remove(file);
  const Fd disk(::open(file.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!disk) throw_errno(fmt::format("cannot make {}", file.native()));
  try {
    // Preallocated, so that a job that fills its /tmp takes nothing more from the disk.
    if (const int code = ::posix_fallocate(disk.get(), 0, static_cast<off_t>(bytes)); code != 0) {
      throw_errno(fmt::format("cannot reserve {} MiB for {}", bytes >> 20, file.native()), code);
    }
    // No journal: nobody needs the content after a crash. No discard: it would return the space to
    // the disk.
    run_checked(
        {"/sbin/mkfs.ext4", "-q", "-F", "-m", "0", "-O", "^has_journal", "-E", "nodiscard", file});
  } catch (const Error&) {
    fs::remove(file);
    throw;
  }
}

std::string job_container_conf_for(std::string text, const SlurmVersion& version) {
  if (version < SlurmVersion{23, 2} || !job_space_in(text) || text.find("Dirs=") != text.npos)
    return text;
  // At the start of a line: AutoBasePath ends in the same letters.
  const size_t begin =
      text.starts_with(base_path) ? 0 : text.find(fmt::format("\n{}", base_path)) + 1;
  const size_t end = std::min(text.find('\n', begin), text.size());
  return text.insert(end, " Dirs=/tmp,/var/tmp,/dev/shm");
}

std::set<std::string> jobs_with_a_slurmstepd(const std::vector<std::string>& command_lines) {
  constexpr std::string_view title = "slurmstepd: [";
  std::set<std::string> jobs;
  for (const std::string& line : command_lines) {
    if (!line.starts_with(title)) continue;
    const size_t end = line.find_first_not_of("0123456789", title.size());
    jobs.insert(line.substr(title.size(), std::min(end, line.size()) - title.size()));
  }
  return jobs;
}

std::set<std::string> running_jobs() {
  return jobs_with_a_slurmstepd(command_lines_of_root());
}

std::vector<std::string> sweep_job_space(const fs::path& folder,
                                         std::chrono::milliseconds deadline) {
  const auto end = std::chrono::steady_clock::now() + deadline;
  // List folders first, then processes: a folder in the list belongs to a slurmstepd that is still
  // running, unless that was killed.
  const std::vector<fs::path> folders = job_folders(folder);
  if (folders.empty()) return {};
  const std::set<std::string> running = running_jobs();
  std::vector<std::string> swept;
  for (const fs::path& job : folders) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        end - std::chrono::steady_clock::now());
    if (left.count() <= 0) break;
    if (running.contains(job.filename())) continue;
    remove_job_folder(job, left);
    if (!fs::exists(job)) swept.push_back(job.filename());
  }
  return swept;
}

}  // namespace slipway::node
