// Finds the owner in the kernel's list of TCP sockets: Linux,
// Documentation/networking/proc_net_tcp.
#include "common/socket_owner.h"

#include <arpa/inet.h>
#include <fmt/core.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "common/text.h"

namespace slipway {
namespace {

// A socket may be left out of a list that is read while others end.
constexpr int most_readings = 3;
constexpr size_t words_of_ipv6 = 4;

// An end of a connection as the lists of IPv4 and IPv6 show it. A socket for both is in the list of
// IPv6, also with an IPv4 address; a socket for IPv6 alone has none of IPv4.
struct End {
  std::string ipv4, ipv6;
};

std::string ipv6_text(const in6_addr& address, unsigned port) {
  std::array<uint32_t, words_of_ipv6> words = {};
  std::memcpy(words.data(), &address, sizeof address);
  return fmt::format("{:08X}{:08X}{:08X}{:08X}:{:04X}", words[0], words[1], words[2], words[3],
                     port);
}

std::optional<End> end_of(const sockaddr_storage& address) {
  in_addr ipv4 = {};
  in6_addr ipv6 = {};
  unsigned port = 0;
  if (address.ss_family == AF_INET) {
    sockaddr_in own = {};
    std::memcpy(&own, &address, sizeof own);
    port = ntohs(own.sin_port);
    ipv4 = own.sin_addr;
    ipv6.s6_addr[10] = ipv6.s6_addr[11] = 0xff;
    std::memcpy(&ipv6.s6_addr[12], &ipv4, sizeof ipv4);
  } else if (address.ss_family == AF_INET6) {
    sockaddr_in6 own = {};
    std::memcpy(&own, &address, sizeof own);
    port = ntohs(own.sin6_port);
    ipv6 = own.sin6_addr;
    std::memcpy(&ipv4, &ipv6.s6_addr[12], sizeof ipv4);
  } else {
    return std::nullopt;
  }
  const bool is_ipv4 = IN6_IS_ADDR_V4MAPPED(&ipv6);
  return End{is_ipv4 ? fmt::format("{:08X}:{:04X}", ipv4.s_addr, port) : "", ipv6_text(ipv6, port)};
}

// "0: 0100007F:6D7C 0100007F:C350 01 00000000:00000000 00:00000000 00000000 1000 …"
std::optional<uid_t> find(const char* list, const std::string& local, const std::string& remote) {
  constexpr size_t local_at = 1, remote_at = 2, state_at = 3, user_at = 7;
  std::ifstream lines(list);
  for (std::string line; std::getline(lines, line);) {
    if (line.find(local) == line.npos) continue;
    std::vector<std::string> words = split(line, ' ');
    std::erase(words, "");
    if (words.size() <= user_at || words[local_at] != local || words[remote_at] != remote) continue;
    // Established, or that this side has ended. Others have no process any more.
    if (words[state_at] == "01" || words[state_at] == "08") return to_number<uid_t>(words[user_at]);
  }
  return std::nullopt;
}

}  // namespace

std::optional<uid_t> owner_of_peer(int socket) {
  sockaddr_storage own = {}, peer = {};
  socklen_t own_size = sizeof own, peer_size = sizeof peer;
  if (::getsockname(socket, reinterpret_cast<sockaddr*>(&own), &own_size) != 0 ||
      ::getpeername(socket, reinterpret_cast<sockaddr*>(&peer), &peer_size) != 0)
    return std::nullopt;
  const auto here = end_of(own), there = end_of(peer);
  if (!here || !there) return std::nullopt;
  for (int i = 0; i < most_readings; ++i) {
    std::optional<uid_t> owner;
    if (!there->ipv4.empty()) owner = find("/proc/self/net/tcp", there->ipv4, here->ipv4);
    if (!owner) owner = find("/proc/self/net/tcp6", there->ipv6, here->ipv6);
    if (owner) return owner;
  }
  return std::nullopt;
}

}  // namespace slipway
