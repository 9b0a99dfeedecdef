// The transports between ranks, as NCCL's own log names them.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace slipway::bandwidth {

// The transports in lines such as "… via NET/Socket/0", each once: "NET/Socket, P2P/CUMEM". Empty
// if there are none.
std::string transports_in_log(std::string_view log);

// Has NCCL write its log to a private file, unless the user has set NCCL_DEBUG. Construct it before
// NCCL is loaded; the destructor removes the file.
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
