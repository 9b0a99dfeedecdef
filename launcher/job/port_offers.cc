// Finds and reserves ports for the first rank.
#include "launcher/job/port_offers.h"

#include <fmt/core.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <string>

namespace slipway::job {
namespace {

constexpr size_t ports_of_an_offer = 2;
constexpr size_t offers_held = 2;  // of the attempt that runs, and the next one

// An abstract socket of this name marks the port for other agents: the kernel lets only one process
// of a network namespace have it, and frees it with the process. The port itself is not bound, as
// programs that do not set SO_REUSEADDR could not bind it then.
Fd mark(int64_t port) {
  const std::string name = fmt::format("slipway-launch-port-{}", port);
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path + 1, name.data(), name.size());
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  Fd fd(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!fd || ::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), size) != 0) fd.reset();
  return fd;
}

// Without SO_REUSEADDR, bind(2) refuses a port that any socket has, listening or not.
template <class Address>
bool can_bind(int family, const Address& address) {
  const Fd fd(::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  // A node without IPv6 has no use of its ports.
  return !fd || ::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

bool is_free(int64_t port) {
  sockaddr_in v4 = {};
  v4.sin_family = AF_INET;
  v4.sin_port = htons(static_cast<uint16_t>(port));
  v4.sin_addr.s_addr = htonl(INADDR_ANY);
  if (!can_bind(AF_INET, v4)) return false;
  sockaddr_in6 v6 = {};
  v6.sin6_family = AF_INET6;
  v6.sin6_port = htons(static_cast<uint16_t>(port));
  v6.sin6_addr = in6addr_any;
  return can_bind(AF_INET6, v6);
}

}  // namespace

PortOffers::PortOffers(uint64_t seed)
    : cursor_(first + static_cast<int64_t>(seed % static_cast<uint64_t>(last - first))) {}

bool PortOffers::reserve(int64_t port, std::vector<Held>& held) const {
  Fd reservation = mark(port);
  if (!reservation || !is_free(port)) return false;
  held.push_back({port, std::move(reservation)});
  return true;
}

std::vector<int64_t> PortOffers::next() {
  std::vector<Held> held;
  for (int64_t tried = 0; tried < last - first && held.size() < ports_of_an_offer; ++tried) {
    reserve(cursor_, held);
    cursor_ = cursor_ + 1 < last ? cursor_ + 1 : first;
  }
  if (held.size() < ports_of_an_offer) return {};
  std::vector<int64_t> ports;
  for (const Held& each : held) ports.push_back(each.port);
  held_.push_back(std::move(held));
  if (held_.size() > offers_held) held_.pop_front();
  return ports;
}

}  // namespace slipway::job
