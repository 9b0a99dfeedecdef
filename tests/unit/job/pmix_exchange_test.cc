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

TEST_CASE("pmix exchange: all hear what all have said, when the last one has come") {
  PmixExchange exchange(world);
  CHECK(exchange.hear("c", fence({}, "from c.")).empty());
  CHECK(exchange.hear("a", fence({}, "from a.")).empty());
  const auto orders = exchange.hear("b", fence({}, "from b."));
  CHECK(nodes_of(orders) == "abc");
  for (const PmixDelivery& each : orders) {
    CHECK(fenced(each).status == pmix_ok);
    CHECK(fenced(each).bytes == "from a.from b.from c.");
  }
  CHECK(exchange.news().empty());
}

TEST_CASE("pmix exchange: the next fence is another one") {
  PmixExchange exchange(world);
  for (const char* node : {"a", "b"}) CHECK(exchange.hear(node, fence({}, "1")).empty());
  CHECK(exchange.hear("c", fence({}, "1")).size() == 3);
  // One node is there again before the others have heard of the first.
  for (const char* node : {"c", "a"}) CHECK(exchange.hear(node, fence({}, "2")).empty());
  const auto orders = exchange.hear("b", fence({}, ""));
  REQUIRE(orders.size() == 3);
  CHECK(fenced(orders[0]).bytes == "22");
}

TEST_CASE("pmix exchange: a fence of some ranks waits for their nodes alone, beside one of all") {
  PmixExchange exchange(world);
  CHECK(exchange.hear("a", fence({}, "all")).empty());
  CHECK(exchange.hear("a", fence({1, 4, 5}, "some")).empty());
  CHECK(exchange.hear("b", fence({1, 4, 5}, "no rank of it is here")).empty());
  const auto orders = exchange.hear("c", fence({1, 4, 5}, "!"));
  CHECK(nodes_of(orders) == "ac");
  CHECK(fenced(orders[0]).bytes == "some!");
  CHECK(fenced(orders[0]).ranks == std::vector<int64_t>{1, 4, 5});
}

TEST_CASE("pmix exchange: what a rank has told is asked of its node, and goes to who has asked") {
  PmixExchange exchange(world);
  const auto asked = exchange.hear("a", PmixWant{5, 12});
  REQUIRE(asked.size() == 1);
  CHECK(asked[0].node == "c");
  const auto& get = std::get<PmixGet>(asked[0].body);
  CHECK(get.rank == 5);
  CHECK(get.ask == 12);
  CHECK(get.node == "a");
  const auto told = exchange.hear("c", PmixHave{"a", 12, pmix_ok, "its address"});
  REQUIRE(told.size() == 1);
  CHECK(told[0].node == "a");
  const auto& got = std::get<PmixGot>(told[0].body);
  CHECK(got.ask == 12);
  CHECK(got.bytes == "its address");
}

TEST_CASE("pmix exchange: nobody has a rank that there is not") {
  PmixExchange exchange(world);
  const auto told = exchange.hear("b", PmixWant{6, 0});
  REQUIRE(told.size() == 1);
  CHECK(told[0].node == "b");
  CHECK(std::get<PmixGot>(told[0].body).status == pmix_not_supported);
}

TEST_CASE(
    "pmix exchange: without PMIx on a node fences fail instead of waiting, and it is said once") {
  const PmixNone none = {"no libpmix.so.2"};
  PmixExchange exchange(world);
  SECTION("known before") {
    CHECK(exchange.hear("b", none).empty());
    CHECK(exchange.news().empty());  // nobody has asked for it yet
    const auto orders = exchange.hear("a", fence({}, "1"));
    CHECK(nodes_of(orders) == "a");
    CHECK(fenced(orders.at(0)).status == pmix_not_supported);
  }
  SECTION("known when others are waiting") {
    CHECK(exchange.hear("a", fence({}, "1")).empty());
    CHECK(exchange.hear("c", fence({}, "1")).empty());
    CHECK(nodes_of(exchange.hear("b", none)) == "ac");
  }
  CHECK(exchange.news() == "b: no PMIx, so MPI ranks cannot find each other: no libpmix.so.2");
  CHECK(exchange.hear("c", fence({}, "2")).size() == 1);
  CHECK(exchange.news().empty());
  const auto wanted = exchange.hear("c", PmixWant{2, 0});
  CHECK(std::get<PmixGot>(wanted.at(0).body).status == pmix_not_supported);
}

TEST_CASE("pmix exchange: who is not in the attempt is not in its fences") {
  PmixExchange exchange(world);
  CHECK(exchange.hear("spare", fence({}, "1")).empty());
  for (const char* node : {"a", "b"}) CHECK(exchange.hear(node, fence({}, "1")).empty());
  CHECK(nodes_of(exchange.hear("c", fence({}, "1"))) == "abc");
}
