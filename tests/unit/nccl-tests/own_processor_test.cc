// Ranks of one host on processors of their own, and connections within a host.
#include "nccl-tests/own_processor.h"

#include <netinet/in.h>
#include <netinet/tcp.h>

#include <set>
#include <string>

#include "common/tcp.h"
#include "nccl-tests/socket.h"
#include "nccl-tests/spin.h"
#include "tests/unit/catch.h"

using namespace slipway::bandwidth;

namespace {

cpu_set_t processors(const std::set<int>& which) {
  cpu_set_t all;
  CPU_ZERO(&all);
  for (const int one : which) CPU_SET(one, &all);
  return all;
}

}  // namespace

TEST_CASE("own processor: as many ranks as processors have one each, whichever may be used") {
  const std::set<int> usable = {1, 4, 5, 70, 200};
  const cpu_set_t allowed = processors(usable);
  for (const uint64_t token : {uint64_t{0}, uint64_t{3}, ~uint64_t{0}}) {
    for (int ranks = 1; ranks <= 5; ++ranks) {
      std::set<int> taken;
      for (int index = 0; index < ranks; ++index) {
        const auto own = own_processor(allowed, index, ranks, token);
        REQUIRE(own);
        CHECK(usable.contains(*own));
        taken.insert(*own);
      }
      CHECK(taken.size() == static_cast<size_t>(ranks));
    }
  }
}

TEST_CASE("own processor: other runs on the host begin at another processor") {
  const cpu_set_t allowed = processors({0, 1, 2, 3});
  CHECK(own_processor(allowed, 0, 2, 8) != own_processor(allowed, 0, 2, 9));
}

TEST_CASE("own processor: there is none with more ranks than processors") {
  CHECK_FALSE(own_processor(processors({2, 3}), 0, 3, 0));
  CHECK_FALSE(own_processor(processors({}), 0, 1, 0));
}

TEST_CASE("own processor: a rank that went there may still run on the others") {
  const cpu_set_t before = allowed_processors();
  const auto own = own_processor(before, 0, 1, 0);
  REQUIRE(own);
  go_to(*own, before);
  const cpu_set_t after = allowed_processors();
  CHECK(CPU_EQUAL(&before, &after));
}

TEST_CASE("spin: whether a rank has slept counts once") {
  Spin::has_slept();
  CHECK_FALSE(Spin::has_slept());
  Spin::note_sleep();
  CHECK(Spin::has_slept());
  CHECK_FALSE(Spin::has_slept());
}

TEST_CASE("socket: a connection within a host is not paced") {
  const slipway::Fd listener = listen_on({0});
  const slipway::Fd client = connect_to("127.0.0.1", slipway::port_of(listener.get()), 5);
  char name[16] = {};  // TCP_CA_NAME_MAX
  socklen_t length = sizeof name;
  REQUIRE(::getsockopt(client.get(), IPPROTO_TCP, TCP_CONGESTION, name, &length) == 0);
  CHECK(std::string(name) == "reno");
}
