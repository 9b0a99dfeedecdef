// Reads the kernel log (Documentation/ABI/testing/dev-kmsg), and the Xids in it.
//
// Many records contain names that users choose: of programs, files, cgroups, devices. So a record
// counts only if the kernel itself wrote it, at the level of a fault, and if the whole record has
// the expected form: kernel_words.h.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/fd.h"

namespace slipway::health {

// The severity of a record: syslog(2).
enum class Level { emergency, alert, critical, error, warning, notice, info, debug };

std::optional<Level> level_named(std::string_view name);

struct KernelRecord {
  int64_t number = 0;
  Level level = Level::debug;
  std::string text;  // backslashes and unprintable bytes are \xNN
};

// The records in a text from /dev/kmsg that have a number above `after`. Leaves out those written
// by user space, and fragments of lines, which may begin with anything.
std::vector<KernelRecord> parse_kernel_log(std::string_view text, int64_t after);

class KernelLogReader {
 public:
  // Begins with the oldest record that the kernel still has.
  explicit KernelLogReader(const std::filesystem::path& path = "/dev/kmsg");

  // Whether the log could be opened.
  explicit operator bool() const { return static_cast<bool>(file_); }
  // Skips everything logged until now.
  void skip();
  // What was logged since.
  std::vector<KernelRecord> read(int64_t after = -1);

 private:
  Fd file_;
};

// An Xid as NVIDIA's driver logs it, without the process names and PIDs that follow.
struct Xid {
  std::string bus;  // "0000:07:00.0"
  int number = 0;
};

// Empty unless the whole text is as the driver writes it. The text cannot show whether the driver
// wrote it, nor whether the node has this GPU: kernel_words.h.
std::optional<Xid> parse_xid(std::string_view text);

}  // namespace slipway::health
