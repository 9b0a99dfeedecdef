#include "common/interfaces.h"

#include <algorithm>

#include "tests/unit/catch.h"

using namespace slipway;

TEST_CASE("interfaces: the loopback interface has its address, and nothing is listed twice") {
  const std::vector<Ipv4Interface> all = ipv4_interfaces();
  const auto loopback = std::ranges::find(all, "127.0.0.1", &Ipv4Interface::address);
  REQUIRE(loopback != all.end());
  CHECK(loopback->name == "lo");
  CHECK(loopback->prefix_length == 8);
  CHECK(loopback->up);
  CHECK(loopback->loopback);
  CHECK(std::ranges::count(all, "127.0.0.1", &Ipv4Interface::address) == 1);
}
