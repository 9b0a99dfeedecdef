// Reads and parses the kernel log.
#include "launcher/health/kernel_log.h"

#include <fcntl.h>
#include <re2/re2.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "common/text.h"

namespace slipway::health {
namespace {

constexpr std::array<std::string_view, 8> level_names = {
    "emergency", "alert", "critical", "error", "warning", "notice", "info", "debug"};

// Parses "4,339,5140900,-;NVRM: …". More fields may follow; only whole lines have the flag `-`.
std::optional<KernelRecord> parse_record(std::string_view line) {
  const size_t end = line.find(';');
  if (end == line.npos) return std::nullopt;
  const std::vector<std::string> head = split(line.substr(0, end), ',');
  if (head.size() < 4 || head[3] != "-") return std::nullopt;
  const auto priority = to_number<uint32_t>(head[0]);
  const auto number = to_number<int64_t>(head[1]);
  const bool of_the_kernel = priority && (*priority >> 3) == 0;
  if (!of_the_kernel || !number) return std::nullopt;
  return KernelRecord{*number, static_cast<Level>(*priority), std::string(line.substr(end + 1))};
}

// A PCI address as NVML and sysfs write it: "0000:07:00.0".
std::string bus_of(std::string_view domain, std::string_view bus, std::string_view device,
                   std::string_view function) {
  while (domain.size() > 4 && domain.front() == '0') domain.remove_prefix(1);
  std::string text;
  for (const std::string_view part : {domain, std::string_view(":"), bus, std::string_view(":"),
                                      device, function.empty() ? ".0" : function}) {
    text += part;
  }
  return to_lower(text);
}

}  // namespace

std::optional<Level> level_named(std::string_view name) {
  const auto found = std::ranges::find(level_names, name);
  if (found == level_names.end()) return std::nullopt;
  return static_cast<Level>(found - level_names.begin());
}

KernelLogReader::KernelLogReader(const std::filesystem::path& path)
    : file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}

void KernelLogReader::skip() {
  if (file_) ::lseek(file_.get(), 0, SEEK_END);
}

std::vector<KernelRecord> KernelLogReader::read(int64_t after) {
  if (!file_) return {};
  std::string text;
  std::array<char, 1 << 14> piece;  // reading the device returns one record; a file, everything
  for (;;) {
    const ssize_t n = ::read(file_.get(), piece.data(), piece.size());
    if (n > 0) {
      text.append(piece.data(), static_cast<size_t>(n));
    } else if (n == 0 || (errno != EPIPE && errno != EINTR)) {
      break;  // EPIPE: records were overwritten before we read them
    }
  }
  return parse_kernel_log(text, after);
}

std::vector<KernelRecord> parse_kernel_log(std::string_view text, int64_t after) {
  std::vector<KernelRecord> records;
  for (const std::string& line : split(text, '\n')) {
    auto record = parse_record(line);
    if (record && record->number > after) records.push_back(std::move(*record));
  }
  return records;
}

// "NVRM: Xid (PCI:0000:07:00): 79, pid=1234, name=python3, GPU has fallen off the bus."
// The formats are in src/nvidia/src/kernel/gpu/rc/kernel_rc.c of NVIDIA's open-gpu-kernel-modules:
// a partitioned GPU has GPU-I and GPU-CI.
std::optional<Xid> parse_xid(std::string_view text) {
  constexpr std::string_view begin = "NVRM: Xid (PCI:";
  if (!text.starts_with(begin)) return std::nullopt;
  static const re2::RE2 form(
      R"(NVRM: Xid \(PCI:([0-9a-fA-F]{4,8}):([0-9a-fA-F]{2}):([01][0-9a-fA-F])(\.[0-7])?)"
      R"((?: GPU-I:[0-9]{1,4}(?: GPU-CI:[0-9]{1,4})?)?\): ([1-9][0-9]{0,3}), .*)",
      re2::RE2::Latin1);
  Xid xid;
  std::string domain, bus, device, function;
  if (!re2::RE2::FullMatch({text.data(), text.size()}, form, &domain, &bus, &device, &function,
                           &xid.number)) {
    return std::nullopt;
  }
  xid.bus = bus_of(domain, bus, device, function);
  return xid;
}

}  // namespace slipway::health
