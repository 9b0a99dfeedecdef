#include "launcher/local/subnet.h"

#include "common/error.h"
#include "tests/unit/catch.h"

using namespace slipway::local;

TEST_CASE("subnet: nodes get addresses from the third on, the gateway has the second") {
  const Subnet subnet = Subnet::parse("10.0.0.0/16");
  CHECK(subnet.gateway() == "10.0.0.1/16");
  CHECK(subnet.address(0) == "10.0.0.2/16");
  CHECK(subnet.address(254) == "10.0.1.0/16");
}

TEST_CASE("subnet: host bits of the range are ignored") {
  CHECK(Subnet::parse("192.168.3.77/24").gateway() == "192.168.3.1/24");
}

TEST_CASE("subnet: reserves the first and the last two addresses, and reports when it is full") {
  const Subnet subnet = Subnet::parse("10.1.2.0/29");
  CHECK(subnet.usable() == 4);
  CHECK(subnet.address(3) == "10.1.2.5/29");
  CHECK_THROWS_WITH(subnet.address(4), "network 10.1.2.0/29 has room for 4 nodes only");
}

TEST_CASE("subnet: rejects anything except an IPv4 range") {
  for (const char* text : {"", "10.0.0.0", "10.0.0/8", "300.0.0.0/8", "10.0.0.0/31", "10.0.0.0/0",
                           "10.0.0.0/x", "10.0.0.0/16x", "fd00::/64"}) {
    INFO(text);
    CHECK_THROWS_WITH(Subnet::parse(text),
                      "`" + std::string(text) + "` is not an IPv4 range such as 10.0.0.0/16");
  }
}
