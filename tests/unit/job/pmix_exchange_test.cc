#include "launcher/job/pmix_exchange.h"

#include "tests/unit/catch.h"

using namespace slipway::job;

namespace {

const World world = {"7", {"a", "b", "c"}, 2, 0};

PmixFence fence(const std::vector<int64_t>& ranks, const std::string& text) {
  return {ranks, text};
}

const PmixFenced& fenced(const PmixDelivery& order) {
  return std::get<PmixFenced>(order.body);
}

std::string nodes_of(const std::vector<PmixDelivery>& orders) {
  std::string nodes;
  for (const PmixDelivery& each : orders) nodes += each.node;
  return nodes;
}

}  // namespace

TEST_CASE("pmix exchange: when the last node arrives, all receive the data of all") {
  PmixExchange exchange(world);
  CHECK(exchange.handle("c", fence({}, "from c.")).empty());
  CHECK(exchange.handle("a", fence({}, "from a.")).empty());
  const auto orders = exchange.handle("b", fence({}, "from b."));
  CHECK(nodes_of(orders) == "abc");
  for (const PmixDelivery& each : orders) {
    CHECK(fenced(each).status == pmix_ok);
    CHECK(fenced(each).bytes == "from a.from b.from c.");
  }
  CHECK(exchange.news().empty());
}

TEST_CASE("pmix exchange: the next fence is independent") {
  PmixExchange exchange(world);
  for (const char* node : {"a", "b"}) CHECK(exchange.handle(node, fence({}, "1")).empty());
  CHECK(exchange.handle("c", fence({}, "1")).size() == 3);
  // One node is already at the second fence before the others have the result of the first.
  for (const char* node : {"c", "a"}) CHECK(exchange.handle(node, fence({}, "2")).empty());
  const auto orders = exchange.handle("b", fence({}, ""));
  REQUIRE(orders.size() == 3);
  CHECK(fenced(orders[0]).bytes == "22");
}

TEST_CASE(
    "pmix exchange: a fence of some ranks waits only for their nodes, next to a fence of all") {
  PmixExchange exchange(world);
  CHECK(exchange.handle("a", fence({}, "all")).empty());
  CHECK(exchange.handle("a", fence({1, 4, 5}, "some")).empty());
  CHECK(exchange.handle("b", fence({1, 4, 5}, "no rank of it is here")).empty());
  const auto orders = exchange.handle("c", fence({1, 4, 5}, "!"));
  CHECK(nodes_of(orders) == "ac");
  CHECK(fenced(orders[0]).bytes == "some!");
  CHECK(fenced(orders[0]).ranks == std::vector<int64_t>{1, 4, 5});
}

TEST_CASE("pmix exchange: a request for a rank's data goes to its node, and the answer back") {
  PmixExchange exchange(world);
  const auto asked = exchange.handle("a", PmixWant{5, 12});
  REQUIRE(asked.size() == 1);
  CHECK(asked[0].node == "c");
  const auto& get = std::get<PmixGet>(asked[0].body);
  CHECK(get.rank == 5);
  CHECK(get.ask == 12);
  CHECK(get.node == "a");
  const auto told = exchange.handle("c", PmixHave{"a", 12, pmix_ok, "its address"});
  REQUIRE(told.size() == 1);
  CHECK(told[0].node == "a");
  const auto& got = std::get<PmixGot>(told[0].body);
  CHECK(got.ask == 12);
  CHECK(got.bytes == "its address");
}

TEST_CASE("pmix exchange: requests for unknown ranks fail") {
  PmixExchange exchange(world);
  const auto told = exchange.handle("b", PmixWant{6, 0});
  REQUIRE(told.size() == 1);
  CHECK(told[0].node == "b");
  CHECK(std::get<PmixGot>(told[0].body).status == pmix_not_supported);
}

TEST_CASE(
    "pmix exchange: if a node has no PMIx, fences fail instead of waiting, which is reported "
    "once") {
  const PmixNone none = {"no libpmix.so.2"};
  PmixExchange exchange(world);
  SECTION("known before") {
    CHECK(exchange.handle("b", none).empty());
    CHECK(exchange.news().empty());  // nobody has asked for it yet
    const auto orders = exchange.handle("a", fence({}, "1"));
    CHECK(nodes_of(orders) == "a");
    CHECK(fenced(orders.at(0)).status == pmix_not_supported);
  }
  SECTION("known when others are waiting") {
    CHECK(exchange.handle("a", fence({}, "1")).empty());
    CHECK(exchange.handle("c", fence({}, "1")).empty());
    CHECK(nodes_of(exchange.handle("b", none)) == "ac");
  }
  CHECK(exchange.news() == "b: no PMIx, so MPI ranks cannot find each other: no libpmix.so.2");
  CHECK(exchange.handle("c", fence({}, "2")).size() == 1);
  CHECK(exchange.news().empty());
  const auto wanted = exchange.handle("c", PmixWant{2, 0});
  CHECK(std::get<PmixGot>(wanted.at(0).body).status == pmix_not_supported);
}

TEST_CASE("pmix exchange: nodes outside the attempt are not in its fences") {
  PmixExchange exchange(world);
  CHECK(exchange.handle("spare", fence({}, "1")).empty());
  for (const char* node : {"a", "b"}) CHECK(exchange.handle(node, fence({}, "1")).empty());
  CHECK(nodes_of(exchange.handle("c", fence({}, "1"))) == "abc");
}
