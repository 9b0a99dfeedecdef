// Lists network interfaces.
#include "common/interfaces.h"

#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>

#include <bit>
#include <memory>

#include "common/error.h"
#include "common/tcp.h"

namespace slipway {

std::vector<Ipv4Interface> ipv4_interfaces() {
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) != 0) throw_errno("cannot list the network interfaces");
  const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> owner(list, ::freeifaddrs);
  std::vector<Ipv4Interface> found;
  for (const ifaddrs* each = list; each != nullptr; each = each->ifa_next) {
    if (each->ifa_addr == nullptr || each->ifa_addr->sa_family != AF_INET) continue;
    const auto* mask = reinterpret_cast<const sockaddr_in*>(each->ifa_netmask);
    found.push_back({each->ifa_name, ipv4_text(each->ifa_addr),
                     mask == nullptr ? 32 : std::popcount(mask->sin_addr.s_addr),
                     (each->ifa_flags & IFF_UP) != 0, (each->ifa_flags & IFF_LOOPBACK) != 0});
  }
  return found;
}

}  // namespace slipway
