// The kernel's log (Documentation/ABI/testing/dev-kmsg), and what it has of GPUs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/fd.h"

namespace slipway::health {

struct KernelRecord {
  int64_t number = 0;
  std::string text;
};

// The records in a text of /dev/kmsg, but those that user space has written.
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

// An Xid, as NVIDIA's driver logs it. The names and numbers of processes that stand behind it are
// left out.
struct Xid {
  std::string bus;  // "0000:07:00.0"
  int number = 0;
};
std::optional<Xid> parse_xid(std::string_view record);

}  // namespace slipway::health
