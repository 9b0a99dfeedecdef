// How much memory a node may use for checkpoints.
#include "launcher/checkpoint/memory_limit.h"

#include <fmt/core.h>
#include <linux/magic.h>
#include <sys/statfs.h>

#include <algorithm>
#include <limits>

#include "common/error.h"
#include "common/file.h"
#include "common/text.h"

namespace slipway::checkpoint {
namespace {

namespace fs = std::filesystem;

// The number in the first line of `file` that begins with `key`.
std::optional<int64_t> number_in(const fs::path& file, std::string_view key) try {
  for (const std::string& line : split(read_file(file), '\n')) {
    if (!line.starts_with(key)) continue;
    const std::string_view rest = trim(std::string_view(line).substr(key.size()));
    return to_number<int64_t>(rest.substr(0, rest.find(' ')));
  }
  return std::nullopt;
} catch (const Error&) {
  return std::nullopt;
}

// A line of /proc/self/cgroup, NUMBER:CONTROLLERS:/GROUP, as the folder of the group below that of
// its controller, and the name of the file with its limit. Nothing if it does not limit memory.
struct Limited {
  fs::path controller, group;
  const char* file;
};
std::optional<Limited> limited_by(const std::string& line) {
  const std::vector<std::string> parts = split(line, ':');
  if (parts.size() < 3 || !parts[2].starts_with('/')) return std::nullopt;
  const fs::path group = line.substr(parts[0].size() + parts[1].size() + 3);
  // Version 2 has no controllers there.
  if (parts[1].empty()) return Limited{"", group, "memory.max"};
  const std::vector<std::string> controllers = split(parts[1], ',');
  if (std::ranges::find(controllers, "memory") == controllers.end()) return std::nullopt;
  return Limited{"memory", group, "memory.limit_in_bytes"};
}

// From the innermost group to the root.
std::optional<int64_t> least_limit(const fs::path& root) try {
  std::optional<int64_t> least;
  for (const std::string& line : split(read_file(root / "proc/self/cgroup"), '\n')) {
    const auto limited = limited_by(line);
    if (!limited) continue;
    const fs::path folder = root / "sys/fs/cgroup" / limited->controller;
    for (fs::path group = limited->group; !group.empty(); group = group.parent_path()) {
      const auto limit = number_in(folder / group / limited->file, "");
      if (limit) least = std::min(*limit, least.value_or(*limit));
    }
  }
  return least;
} catch (const Error&) {
  return std::nullopt;
}

}  // namespace

std::optional<int64_t> size_in_bytes(std::string_view text) {
  constexpr std::string_view letters = "KMGT";
  int shift = 0;
  if (!text.empty()) {
    const size_t letter = letters.find(text.back());
    if (letter != letters.npos) {
      shift = 10 * (static_cast<int>(letter) + 1);
      text.remove_suffix(1);
    }
  }
  const auto number = to_number<int64_t>(text);
  if (!number || *number <= 0 || *number > (std::numeric_limits<int64_t>::max() >> shift))
    return std::nullopt;
  return *number << shift;
}

std::string size_text(int64_t bytes) {
  constexpr double kib = 1024;
  const auto value = static_cast<double>(bytes);
  if (value >= kib * kib * kib) return fmt::format("{:.3g} GiB", value / (kib * kib * kib));
  if (value >= kib * kib) return fmt::format("{:.3g} MiB", value / (kib * kib));
  return fmt::format("{:.3g} KiB", value / kib);
}

int64_t memory_of_job(const fs::path& root) {
  const int64_t machine =
      number_in(root / "proc/meminfo", "MemTotal:").value_or(int64_t{1} << 20) * 1024;
  return std::min(machine, least_limit(root).value_or(machine));
}

fs::path memory_folder() {
  const fs::path folder = "/dev/shm";
  struct statfs info = {};
  if (::statfs(folder.c_str(), &info) != 0 || info.f_type != TMPFS_MAGIC)
    throw Error(fmt::format("{} is not in memory", folder.native()));
  return folder;
}

int64_t most_bytes_in(const fs::path& folder, int64_t wanted, const fs::path& root) {
  struct statfs info = {};
  if (::statfs(folder.c_str(), &info) != 0) throw_errno("cannot inspect " + folder.native());
  const auto size = static_cast<int64_t>(info.f_blocks) * static_cast<int64_t>(info.f_bsize);
  const int64_t memory = memory_of_job(root);
  if (wanted > memory)  // the kernel would kill the job for it
    throw Error(fmt::format("{} are wanted, but the job has {} of memory", size_text(wanted),
                            size_text(memory)));
  // 0: unlimited.
  const int64_t room = size > 0 ? size : memory;
  if (wanted > room)
    throw Error(fmt::format("{} are wanted, but {} has {}", size_text(wanted), folder.native(),
                            size_text(room)));
  return wanted > 0 ? wanted : std::min(room / 2, memory / 4);
}

}  // namespace slipway::checkpoint
