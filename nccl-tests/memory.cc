// How much memory a process on this node can still allocate.
#include "nccl-tests/memory.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "common/error.h"
#include "common/file.h"
#include "common/text.h"

namespace slipway::bandwidth {
namespace {

namespace fs = std::filesystem;

// The number after `key` at the start of a line of `text`.
std::optional<int64_t> value_of(std::string_view key, const std::string& text) {
  for (const std::string& line : split(text, '\n')) {
    if (line.starts_with(key)) return std::strtoll(line.c_str() + key.size(), nullptr, 10);
  }
  return std::nullopt;
}

// This process's control group, "/system.slice/slurmstepd.scope/job_7", in the v2 hierarchy.
std::string control_group(const fs::path& root) {
  constexpr std::string_view v2 = "0::";
  const fs::path file = root / "proc/self/cgroup";
  if (!fs::exists(file)) return "";
  for (const std::string& line : split(read_file(file), '\n')) {
    if (line.starts_with(v2)) return line.substr(v2.size());
  }
  return "";
}

// What one control group leaves: its limit less the memory that cannot be reclaimed. Empty without
// a limit.
std::optional<int64_t> left_in(const fs::path& group) {
  if (!fs::exists(group / "memory.max") || !fs::exists(group / "memory.stat")) return std::nullopt;
  const std::string limit(trim(read_file(group / "memory.max")));
  if (limit == "max") return std::nullopt;
  const int64_t used = value_of("anon ", read_file(group / "memory.stat")).value_or(0);
  return std::max<int64_t>(0, std::strtoll(limit.c_str(), nullptr, 10) - used);
}

}  // namespace

int64_t available_memory_bytes(const fs::path& root) {
  const std::optional<int64_t> kib = value_of("MemAvailable:", read_file(root / "proc/meminfo"));
  if (!kib) throw Error("/proc/meminfo has no MemAvailable");
  int64_t available = *kib * 1024;

  const fs::path top = root / "sys/fs/cgroup";
  fs::path group = top;
  for (const std::string& name : split(control_group(root), '/')) {
    if (name.empty()) continue;
    group /= name;
    available = std::min(available, left_in(group).value_or(available));
  }
  return available;
}

}  // namespace slipway::bandwidth
