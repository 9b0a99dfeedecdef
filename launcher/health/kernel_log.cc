// The kernel's log.
#include "launcher/health/kernel_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>

#include "common/text.h"

namespace slipway::health {

KernelLogReader::KernelLogReader(const std::filesystem::path& path)
    : file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}

void KernelLogReader::skip() {
  if (file_) ::lseek(file_.get(), 0, SEEK_END);
}

std::vector<KernelRecord> KernelLogReader::read(int64_t after) {
  if (!file_) return {};
  std::string text;
  std::array<char, 1 << 14> piece;  // a read of the device is one record, of a file all there is
  for (;;) {
    const ssize_t n = ::read(file_.get(), piece.data(), piece.size());
    if (n > 0) {
      text.append(piece.data(), static_cast<size_t>(n));
    } else if (n == 0 || (errno != EPIPE && errno != EINTR)) {
      break;  // EPIPE: records were overwritten before we came to them
    }
  }
  return parse_kernel_log(text, after);
}

std::vector<KernelRecord> parse_kernel_log(std::string_view text, int64_t after) {
  std::vector<KernelRecord> records;
  for (const std::string& line : split(text, '\n')) {
    // "6,339,5140900,-;NVRM: …"; a line that begins with a blank is more about the one before.
    const size_t end = line.find(';');
    if (line.empty() || line[0] == ' ' || end == line.npos) continue;
    const std::vector<std::string> head = split(std::string_view(line).substr(0, end), ',');
    if (head.size() < 3) continue;
    const auto priority = to_number<int64_t>(head[0]), number = to_number<int64_t>(head[1]);
    const bool of_the_kernel = priority && (*priority >> 3) == 0;
    if (of_the_kernel && number && *number > after)
      records.push_back({*number, line.substr(end + 1)});
  }
  return records;
}

// "NVRM: Xid (PCI:0000:07:00): 79, pid=1234, name=python3, GPU has fallen off the bus." The whole
// of the beginning must be so: a program's name, which users choose, begins other records.
// Names and process ids are left out of what is told.
std::optional<Xid> parse_xid(std::string_view text) {
  constexpr std::string_view begin = "NVRM: Xid (PCI:", middle = "): ";
  if (!text.starts_with(begin)) return std::nullopt;
  const size_t end = text.find(middle);
  if (end == text.npos) return std::nullopt;
  Xid xid;
  xid.bus = text.substr(begin.size(), end - begin.size());
  if (xid.bus.size() == 10) xid.bus += ".0";
  const std::string_view rest = text.substr(end + middle.size());
  const auto [stop, code] = std::from_chars(rest.data(), rest.data() + rest.size(), xid.number);
  if (code != std::errc() || xid.number <= 0) return std::nullopt;
  return xid;
}

}  // namespace slipway::health
