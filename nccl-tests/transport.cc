// The transport that this process's data really used, as the kernel shows it.
#include "nccl-tests/transport.h"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <vector>

#include "common/interfaces.h"
#include "common/tcp.h"
#include "common/text.h"

namespace slipway::bandwidth {
namespace {

namespace fs = std::filesystem;

// A connection counts if it carried at least this; the control messages of launchers are far below.
constexpr uint64_t data_bytes = 1 << 20;

// Bytes that a connected TCP socket has sent and received; 0 for any other descriptor.
uint64_t bytes_through(int fd) {
  int protocol = 0;
  socklen_t length = sizeof protocol;
  if (::getsockopt(fd, SOL_SOCKET, SO_PROTOCOL, &protocol, &length) != 0) return 0;
  if (protocol != IPPROTO_TCP) return 0;
  tcp_info info{};
  length = sizeof info;
  if (::getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &length) != 0) return 0;
  return info.tcpi_bytes_acked + info.tcpi_bytes_received;
}

// The targets of this process's descriptors, by number.
std::vector<std::pair<int, std::string>> descriptors() {
  std::vector<std::pair<int, std::string>> all;
  std::error_code gone;  // the folder's own descriptor is closed by the time it is read
  for (const auto& entry : fs::directory_iterator("/proc/self/fd", gone)) {
    const fs::path target = fs::read_symlink(entry.path(), gone);
    all.emplace_back(std::atoi(entry.path().filename().c_str()), target.string());
  }
  return all;
}

bool maps_shared_memory() {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    for (const char* name : {"vader_segment", "sm_segment", "/dev/shm/psm", "/dev/shm/ucx"}) {
      if (line.find(name) != std::string::npos) return true;
    }
  }
  return false;
}

}  // namespace

std::string interface_of(int socket) {
  sockaddr_storage own{};
  socklen_t length = sizeof own;
  if (::getsockname(socket, reinterpret_cast<sockaddr*>(&own), &length) != 0) return "";
  if (own.ss_family != AF_INET) return "";
  const std::string wanted = ipv4_text(reinterpret_cast<const sockaddr*>(&own));
  for (const Ipv4Interface& one : ipv4_interfaces()) {
    if (one.address == wanted) return one.name;
  }
  return "";
}

std::string transport_of_this_process() {
  std::set<std::string> found;
  for (const auto& [fd, target] : descriptors()) {
    if (target.starts_with("/dev/infiniband/uverbs")) found.insert("rdma");
    if (!target.starts_with("socket:") || bytes_through(fd) < data_bytes) continue;
    found.insert(std::string(trim("tcp " + interface_of(fd))));
  }
  if (maps_shared_memory()) found.insert("shared memory");
  return join(std::vector<std::string>(found.begin(), found.end()), ", ");
}

}  // namespace slipway::bandwidth
