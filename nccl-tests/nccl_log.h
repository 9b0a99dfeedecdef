// What NCCL says that it does: the transports between its ranks.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace slipway::bandwidth {

// The transports that NCCL's lines "… via NET/Socket/0" name, each once: "NET/Socket, P2P/CUMEM".
// Empty without any.
std::string transports_in_log(std::string_view log);

// Has NCCL write its log to a file of this process's own, unless the user reads it: to be made
// before NCCL is loaded. The file goes with it.
class NcclLog {
 public:
  NcclLog();
  ~NcclLog();
  NcclLog(const NcclLog&) = delete;
  NcclLog& operator=(const NcclLog&) = delete;

  std::string transports() const;

 private:
  std::filesystem::path file_;  // empty where the user has set NCCL_DEBUG
};

}  // namespace slipway::bandwidth
