// The kernel's log (Documentation/ABI/testing/dev-kmsg), and the Xids in it.
//
// Many records contain names that users choose: of programs, files, cgroups, devices. So a record
// counts only when the kernel itself has written it, at the level of a fault, and when all of it
// has the expected form: kernel_words.h.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/fd.h"

namespace slipway::health {

// How severe a record is: syslog(2).
enum class Level { emergency, alert, critical, error, warning, notice, info, debug };

std::optional<Level> level_named(std::string_view name);

struct KernelRecord {
  int64_t number = 0;
  Level level = Level::debug;
  std::string text;  // backslashes and what is not printable ASCII are \xNN
};

// The records in a text of /dev/kmsg, without those that user space has written, and without pieces
// of lines, which may begin with anything.
std::vector<KernelRecord> parse_kernel_log(std::string_view text, int64_t after);

class KernelLogReader {
 public:
  // Begins with the oldest record that is kept.
  explicit KernelLogReader(const std::filesystem::path& path = "/dev/kmsg");

  // Whether we may read it.
  explicit operator bool() const { return static_cast<bool>(file_); }
  // Leaves out what has been said until now.
  void skip();
  // What has been said since.
  std::vector<KernelRecord> read(int64_t after = -1);

 private:
  Fd file_;
};

// An Xid, as NVIDIA's driver logs it, without the names and numbers of processes that follow.
struct Xid {
  std::string bus;  // "0000:07:00.0"
  int number = 0;
};

// Nothing when any part of the text is not as the driver writes it. Whether the record comes from
// the driver, and whether the node has this GPU, the text cannot show: kernel_words.h.
std::optional<Xid> parse_xid(std::string_view text);

}  // namespace slipway::health
