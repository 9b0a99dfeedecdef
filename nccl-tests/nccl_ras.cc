// NCCL's RAS service (reliability, availability, serviceability).
#include "nccl-tests/nccl_ras.h"

#include <poll.h>
#include <sys/socket.h>

#include <fmt/core.h>

#include "common/text.h"
#include "nccl-tests/socket.h"

namespace slipway::bandwidth {

std::string ras_report(const std::string& host, int port) {
  constexpr double patience_seconds = 3;
  constexpr size_t most_bytes = 64 << 10;
  std::string said;
  try {
    const Fd socket = connect_to(host, port, 1);
    const std::string question = "verbose status\n";
    send_all(socket.get(), question.data(), question.size(), "RAS");
    const double deadline = now_seconds() + patience_seconds;
    while (said.size() < most_bytes && now_seconds() < deadline) {
      pollfd entry{socket.get(), POLLIN, 0};
      if (::poll(&entry, 1, 200) <= 0) continue;
      char some[4096];
      const ssize_t got = ::recv(socket.get(), some, sizeof some, 0);
      if (got <= 0) break;
      said.append(some, static_cast<size_t>(got));
    }
  } catch (const Error& error) {
    return fmt::format("  ras: {}\n", error.what());
  }
  std::string text;
  for (const std::string& line : split(said, '\n')) {
    if (!trim(line).empty()) text += fmt::format("  ras: {}\n", line);
  }
  return text;
}

}  // namespace slipway::bandwidth
