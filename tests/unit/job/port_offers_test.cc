#include "launcher/job/port_offers.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <set>

#include "tests/unit/catch.h"

using namespace slipway;
using job::PortOffers;

namespace {

Fd listen_at(int64_t port, bool reuse) {
  Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int on = reuse ? 1 : 0;
  ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(fd.get(), 1) != 0) {
    fd.reset();
  }
  return fd;
}

}  // namespace

TEST_CASE("port offers: agents of one node never offer the same ports") {
  // As many agents with the same seed as a node could have: two steps and two jobs.
  PortOffers one(7), two(7), three(7), four(7);
  std::set<int64_t> all;
  for (PortOffers* each : {&one, &two, &three, &four}) {
    for (int attempt = 0; attempt < 2; ++attempt) {
      for (const int64_t port : each->next()) {
        CHECK(port >= PortOffers::first);
        CHECK(port < PortOffers::last);
        CHECK(all.insert(port).second);
      }
    }
  }
  CHECK(all.size() == 16);
}

TEST_CASE("port offers: a restart gets fresh ports, and the task can listen at them") {
  PortOffers offers(11);
  std::set<int64_t> all;
  for (int attempt = 0; attempt < 20; ++attempt) {
    for (const int64_t port : offers.next()) {
      CHECK(all.insert(port).second);
      CHECK(listen_at(port, /*reuse=*/false));
    }
  }
}

TEST_CASE("port offers: a port that a program has is not offered, whether it listens or not") {
  PortOffers before(13);
  const int64_t expected = before.next().front() + 2;
  const Fd busy = listen_at(expected, /*reuse=*/true);
  REQUIRE(busy);
  for (int attempt = 0; attempt < 3; ++attempt) {
    for (const int64_t port : before.next()) CHECK(port != expected);
  }
}

TEST_CASE("port offers: at the end of the range, the search begins again") {
  PortOffers offers(static_cast<uint64_t>(PortOffers::last - PortOffers::first - 1));
  const auto ports = offers.next();
  REQUIRE(ports.size() == 2);
  CHECK(ports[0] != ports[1]);
  for (const int64_t port : ports) CHECK(port < PortOffers::last);
}
