// Reads files, file systems, the kernel log and the clock of this machine.
#include "launcher/health/machine.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/timex.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <set>
#include <sstream>

#include "common/fd.h"
#include "common/process_stat.h"
#include "common/text.h"

namespace slipway::health {
namespace {

namespace fs = std::filesystem;

constexpr uid_t first_ordinary_user = 1000;                      // login.defs(5), UID_MIN
constexpr auto time_to_count = std::chrono::milliseconds(1500);  // a prolog waits for this
constexpr size_t most_of_a_file = 1 << 22;
constexpr size_t piece_of_a_file = 1 << 14;

// Parses "Uid:\t0\t0\t0\t0": the real and effective uid of a process, and more.
bool is_of_the_system(std::string_view status) {
  const size_t at = status.find("\nUid:\t");
  if (at == status.npos) return false;
  const std::vector<std::string> ids = split(status.substr(at + 6, 64), '\t');
  const auto is = [&](size_t i) {
    return to_number<uid_t>(ids.at(i)).value_or(first_ordinary_user) < first_ordinary_user;
  };
  return ids.size() >= 3 && is(0) && is(1);
}

// Whether SIGKILL is pending, for the first thread or the whole process:
// "ShdPnd:\t0000000000000100".
bool awaits_kill(std::string_view status) {
  constexpr uint64_t kill_bit = uint64_t{1} << (SIGKILL - 1);
  return std::ranges::any_of(split(status, '\n'), [&](const std::string& line) {
    if (!line.starts_with("SigPnd:") && !line.starts_with("ShdPnd:")) return false;
    return (std::strtoull(line.c_str() + 7, nullptr, 16) & kill_bit) != 0;
  });
}

bool is_root_in_memory(const fs::path& folder) {
  struct statfs system = {};
  struct stat here = {}, above = {};
  return ::statfs(folder.c_str(), &system) == 0 && system.f_type == TMPFS_MAGIC &&
         ::stat(folder.c_str(), &here) == 0 && ::stat((folder / "..").c_str(), &above) == 0 &&
         (here.st_dev != above.st_dev || here.st_ino == above.st_ino);
}

// "/-55801.400000000" from the line "boottime -55801 400000000" (time_namespaces(7)); empty if the
// clock is the kernel's.
std::string offset_of_clock(std::string_view offsets) {
  for (const std::string& line : split(offsets, '\n')) {
    std::istringstream words(line);
    std::string clock;
    int64_t seconds = 0, nanoseconds = 0;
    if (!(words >> clock >> seconds >> nanoseconds) || clock != "boottime") continue;
    return seconds == 0 && nanoseconds == 0 ? "" : fmt::format("/{}.{:09}", seconds, nanoseconds);
  }
  return "";
}

}  // namespace

std::optional<std::string> Machine::read(const fs::path& path) const {
  const Fd file(::open(at(path).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file) return std::nullopt;
  // The kernel returns at most a page of its tables at a time.
  std::string text;
  for (size_t read = 0; read < most_of_a_file;) {
    text.resize(read + piece_of_a_file);
    const ssize_t n = ::read(file.get(), text.data() + read, piece_of_a_file);
    if (n < 0) return std::nullopt;
    read += static_cast<size_t>(n);
    text.resize(read);
    if (n == 0) break;
  }
  return std::string(trim(text));
}

std::string Machine::boot() const {
  const auto first = parse_process_stat(read("/proc/1/stat").value_or(""));
  return fmt::format("{}/{}{}", read("/proc/sys/kernel/random/boot_id").value_or(""),
                     first ? first->start : "",
                     offset_of_clock(read("/proc/self/timens_offsets").value_or("")));
}

std::optional<int64_t> Machine::number(const fs::path& path) const {
  const auto text = read(path);
  return text ? to_number<int64_t>(*text) : std::nullopt;
}

fs::path Machine::target(const fs::path& link) const {
  std::error_code failed;
  const fs::path path = fs::canonical(at(link), failed);
  if (failed) return {};
  const fs::path root = fs::canonical(root_, failed);
  return failed ? fs::path() : "/" / path.lexically_relative(root);
}

std::vector<std::string> Machine::names(const fs::path& folder) const {
  std::vector<std::string> names;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(at(folder), none)) {
    names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

std::vector<fs::path> Machine::processes() const {
  std::vector<fs::path> folders;
  for (const std::string& id : names("/proc")) {
    if (to_number<int64_t>(id)) folders.push_back(fs::path("/proc") / id);
  }
  return folders;
}

std::set<std::string> Machine::daemons(const std::set<std::string>& names_wanted) const {
  std::set<std::string> found;
  for (const fs::path& process : processes()) {
    const auto name = read(process / "comm");
    if (!name) continue;
    const auto wanted = std::ranges::find_if(
        names_wanted, [&](const std::string& daemon) { return is_name_of_daemon(*name, daemon); });
    if (wanted == names_wanted.end() || found.contains(*wanted)) continue;
    if (is_of_the_system(read(process / "status").value_or(""))) found.insert(*wanted);
  }
  return found;
}

bool Machine::has_unkillable() const {
  return std::ranges::any_of(processes(), [&](const fs::path& process) {
    return awaits_kill(read(process / "status").value_or(""));
  });
}

std::optional<std::vector<KernelRecord>> Machine::kernel_log(int64_t after) const {
  KernelLogReader reader(at("/dev/kmsg"));
  if (!reader) return std::nullopt;
  return reader.read(after);
}

std::optional<Space> Machine::space(const fs::path& path) const {
  struct statvfs now = {};
  struct stat info = {};
  if (::statvfs(at(path).c_str(), &now) != 0 || ::stat(at(path).c_str(), &info) != 0) {
    return std::nullopt;
  }
  return Space{now.f_bfree * now.f_frsize,
               now.f_bavail * now.f_frsize,
               now.f_blocks * now.f_frsize,
               now.f_ffree,
               now.f_files,
               (info.st_mode & S_IWOTH) != 0 || is_ordinary_user(info.st_uid),
               (now.f_flag & ST_RDONLY) != 0,
               is_root_in_memory(at(path))};
}

FileOwners Machine::owners_of_files(const fs::path& path, const std::vector<std::string>& folders,
                                    Missing missing) const {
  std::vector<fs::path> places;
  for (const std::string& folder : folders) places.push_back(at(folder));
  return health::owners_of_files(at(path), places, at("/proc"), missing, time_to_count);
}

std::optional<ClockState> Machine::clock() const {
  timex asked = {};
  if (::adjtimex(&asked) < 0) return std::nullopt;
  const double unit_ms = (asked.status & STA_NANO) != 0 ? 1e-6 : 1e-3;
  return ClockState{(asked.status & STA_UNSYNC) == 0, static_cast<double>(asked.offset) * unit_ms};
}

}  // namespace slipway::health
