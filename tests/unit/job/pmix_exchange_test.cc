#include "launcher/job/pmix_exchange.h"

#include "tests/unit/catch.h"

using namespace slipway::job;

namespace {

const World world = {"7", {"a", "b", "c"}, 2, 0};

Message bytes(const std::string& text) {
  return Message::binary({text.begin(), text.end()});
}

Message fence(const std::vector<int64_t>& ranks, const std::string& text) {
  return {{"what", "fence"}, {"ranks", ranks}, {"bytes", bytes(text)}};
}

std::string text_of(const Message& message) {
  const auto& binary = message.at("bytes").get_binary();
  return {binary.begin(), binary.end()};
}

std::string nodes_of(const std::vector<PmixOrder>& orders) {
  std::string nodes;
  for (const PmixOrder& each : orders) nodes += each.node;
  return nodes;
}

}  // namespace

TEST_CASE("pmix exchange: all hear what all have said, when the last one has come") {
  PmixExchange exchange(world);
  CHECK(exchange.hear("c", fence({}, "from c.")).empty());
  CHECK(exchange.hear("a", fence({}, "from a.")).empty());
  const auto orders = exchange.hear("b", fence({}, "from b."));
  CHECK(nodes_of(orders) == "abc");
  for (const PmixOrder& each : orders) {
    CHECK(each.body.at("what") == "fenced");
    CHECK(each.body.at("status") == pmix_ok);
    CHECK(text_of(each.body) == "from a.from b.from c.");
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
  CHECK(text_of(orders[0].body) == "22");
}

TEST_CASE("pmix exchange: a fence of some ranks waits for their nodes alone, beside one of all") {
  PmixExchange exchange(world);
  CHECK(exchange.hear("a", fence({}, "all")).empty());
  CHECK(exchange.hear("a", fence({1, 4, 5}, "some")).empty());
  CHECK(exchange.hear("b", fence({1, 4, 5}, "no rank of it is here")).empty());
  const auto orders = exchange.hear("c", fence({1, 4, 5}, "!"));
  CHECK(nodes_of(orders) == "ac");
  CHECK(text_of(orders[0].body) == "some!");
  CHECK(orders[0].body.at("ranks") == Message({1, 4, 5}));
}

TEST_CASE("pmix exchange: what a rank has told is asked of its node, and goes to who has asked") {
  PmixExchange exchange(world);
  const auto asked = exchange.hear("a", {{"what", "want"}, {"rank", 5}, {"ask", 12}});
  REQUIRE(asked.size() == 1);
  CHECK(asked[0].node == "c");
  CHECK(asked[0].body == Message({{"what", "get"}, {"rank", 5}, {"ask", 12}, {"node", "a"}}));
  const auto told = exchange.hear("c", {{"what", "have"},
                                        {"node", "a"},
                                        {"ask", 12},
                                        {"status", pmix_ok},
                                        {"bytes", bytes("its address")}});
  REQUIRE(told.size() == 1);
  CHECK(told[0].node == "a");
  CHECK(told[0].body.at("what") == "got");
  CHECK(told[0].body.at("ask") == 12);
  CHECK(text_of(told[0].body) == "its address");
}

TEST_CASE("pmix exchange: nobody has a rank that there is not") {
  PmixExchange exchange(world);
  const auto told = exchange.hear("b", {{"what", "want"}, {"rank", 6}, {"ask", 0}});
  REQUIRE(told.size() == 1);
  CHECK(told[0].node == "b");
  CHECK(told[0].body.at("status") == pmix_not_supported);
}

TEST_CASE(
    "pmix exchange: without PMIx on a node fences fail instead of waiting, and it is said once") {
  const Message none = {{"what", "none"}, {"text", "no libpmix.so.2"}};
  PmixExchange exchange(world);
  SECTION("known before") {
    CHECK(exchange.hear("b", none).empty());
    CHECK(exchange.news().empty());  // nobody has asked for it yet
    const auto orders = exchange.hear("a", fence({}, "1"));
    CHECK(nodes_of(orders) == "a");
    CHECK(orders.at(0).body.at("status") == pmix_not_supported);
  }
  SECTION("known when others are waiting") {
    CHECK(exchange.hear("a", fence({}, "1")).empty());
    CHECK(exchange.hear("c", fence({}, "1")).empty());
    CHECK(nodes_of(exchange.hear("b", none)) == "ac");
  }
  CHECK(exchange.news() == "b: no PMIx, so MPI's ranks cannot meet: no libpmix.so.2");
  CHECK(exchange.hear("c", fence({}, "2")).size() == 1);
  CHECK(exchange.news().empty());
  CHECK(exchange.hear("c", {{"what", "want"}, {"rank", 2}, {"ask", 0}}).at(0).body.at("status") ==
        pmix_not_supported);
}

TEST_CASE("pmix exchange: who is not in the attempt is not in its fences") {
  PmixExchange exchange(world);
  CHECK(exchange.hear("spare", fence({}, "1")).empty());
  for (const char* node : {"a", "b"}) CHECK(exchange.hear(node, fence({}, "1")).empty());
  CHECK(nodes_of(exchange.hear("c", fence({}, "1"))) == "abc");
}
