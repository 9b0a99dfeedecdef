// NCCL's own log: the transports that it has chosen, and the warnings that explain a failure.
#pragma once

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace slipway::bandwidth {

// The transports in lines such as "… via NET/Socket/0", each once: "NET/Socket, P2P/CUMEM". Empty
// if there are none.
std::string transports_in_log(std::string_view log);

// The texts of "NCCL WARN" lines, each once, at most the last `most`: "NET/IB: Got completion …".
std::vector<std::string> warnings_in_log(std::string_view log, size_t most = 5);

// The path that NCCL writes to for NCCL_DEBUG_FILE=`pattern`: %h is the host, %p the process.
std::string expand_log_path(std::string_view pattern);

// What of a log the user sees who has set NCCL_DEBUG=`level`.
std::string shown_at(std::string_view level, std::string_view log);

// Has NCCL write the log that the verdict needs, at the level INFO. Users see what they asked for
// with NCCL_DEBUG, at the same place as without this class; only a file of NCCL_DEBUG_FILE becomes
// longer. Construct it before NCCL is loaded; the destructor removes a private file.
class NcclLog {
 public:
  NcclLog();
  ~NcclLog();
  NcclLog(const NcclLog&) = delete;
  NcclLog& operator=(const NcclLog&) = delete;

  std::string transports() const;
  std::vector<std::string> warnings() const;
  // Shows now what was written since the last time.
  void show();

 private:
  std::string read() const;

  std::filesystem::path file_;  // empty if none could be made
  bool private_ = false;
  std::string level_;  // of the user; empty: nothing is shown
  int shown_on_ = -1;  // a descriptor
  std::mutex mutex_;
  size_t shown_bytes_ = 0;
  std::jthread follower_;
};

}  // namespace slipway::bandwidth
