// IPv4 subnets and the addresses in them.
#include "launcher/local/subnet.h"

#include <arpa/inet.h>
#include <fmt/core.h>

#include "common/count.h"
#include "common/error.h"
#include "common/text.h"

namespace slipway::local {
namespace {

std::string with_prefix(uint32_t address, int prefix_bits) {
  return fmt::format("{}.{}.{}.{}/{}", address >> 24, address >> 16 & 255, address >> 8 & 255,
                     address & 255, prefix_bits);
}

}  // namespace

Subnet Subnet::parse(const std::string& cidr) {
  const size_t slash = cidr.find('/');
  in_addr address = {};
  const int bits = slash == cidr.npos ? 0 : to_number<int>(cidr.substr(slash + 1)).value_or(0);
  if (bits < 1 || bits > 30 || ::inet_pton(AF_INET, cidr.substr(0, slash).c_str(), &address) != 1) {
    throw Error(fmt::format("`{}` is not an IPv4 range such as 10.0.0.0/16", cidr));
  }
  const uint32_t mask = ~uint32_t{0} << (32 - bits);
  return {ntohl(address.s_addr) & mask, bits};
}

std::string Subnet::range() const {
  return with_prefix(base, prefix_bits);
}

uint32_t Subnet::usable() const {
  const uint64_t all = uint64_t{1} << (32 - prefix_bits);
  return static_cast<uint32_t>(all - 4);
}

std::string Subnet::address(uint32_t i) const {
  if (i >= usable()) {
    throw Error(fmt::format("network {} has room for {} only", range(), counted(usable(), "node")));
  }
  return with_prefix(base + 2 + i, prefix_bits);
}

std::string Subnet::gateway() const {
  return with_prefix(base + 1, prefix_bits);
}

}  // namespace slipway::local
