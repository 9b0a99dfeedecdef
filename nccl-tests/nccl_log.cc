// The transports between ranks, as NCCL's own log names them.
#include "nccl-tests/nccl_log.h"

#include <stdlib.h>
#include <unistd.h>

#include <set>
#include <vector>

#include "common/fd.h"
#include "common/file.h"
#include "common/text.h"

namespace slipway::bandwidth {

std::string transports_in_log(std::string_view log) {
  constexpr std::string_view mark = " via ";
  std::set<std::string> found;
  for (const std::string& line : split(log, '\n')) {
    const size_t at = line.find(mark);
    if (line.find("Channel ") == std::string::npos || at == std::string::npos) continue;
    const std::vector<std::string> parts =
        split(std::string_view(line).substr(at + mark.size()), '/');
    if (parts.size() < 2) continue;
    const std::string kind = parts[1].substr(0, parts[1].find_first_of("( "));
    found.insert(parts[0] + "/" + kind);
  }
  return join(std::vector<std::string>(found.begin(), found.end()), ", ");
}

NcclLog::NcclLog() {
  if (::getenv("NCCL_DEBUG") != nullptr || ::getenv("NCCL_DEBUG_FILE") != nullptr) return;
  std::string name = (std::filesystem::temp_directory_path() / "slipway-nccl.XXXXXX").string();
  const Fd file(::mkstemp(name.data()));
  if (!file) return;  // the run matters more than knowing its transport
  file_ = name;
  ::setenv("NCCL_DEBUG", "INFO", 1);
  ::setenv("NCCL_DEBUG_SUBSYS", "INIT,NET", 1);
  ::setenv("NCCL_DEBUG_FILE", name.c_str(), 1);
}

NcclLog::~NcclLog() {
  if (!file_.empty()) ::unlink(file_.c_str());
}

std::string NcclLog::transports() const {
  return file_.empty() ? "" : transports_in_log(read_file(file_));
}

}  // namespace slipway::bandwidth
