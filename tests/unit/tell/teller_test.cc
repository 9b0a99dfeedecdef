// Tests of sending at a limited rate.
#include "launcher/tell/teller.h"

#include <fmt/core.h>

#include <algorithm>

#include "tests/unit/catch.h"

using namespace slipway::tell;

namespace {

// Keeps what was sent, by channel; channels in `down` refuse.
struct Mailbox {
  std::vector<std::string> sent, said;
  std::vector<std::string> down = {};

  Teller teller(std::vector<std::string> channels, int most, double minutes) {
    return Teller(
        std::move(channels), RateLimit(most, minutes),
        [this](const Message& message, const std::vector<std::string>& by) {
          std::vector<Undelivered> failed;
          for (const std::string& channel : by) {
            if (std::ranges::find(down, channel) != down.end()) {
              failed.push_back({channel, "no answer"});
            } else {
              sent.push_back(channel + ": " + line_of(message));
            }
          }
          return failed;
        },
        [this](const std::string& text) { said.push_back(text); });
  }
};

Message drain_of(int node) {
  return {"drain", "c", fmt::format("n{}", node), "", "disk / full"};
}

constexpr std::time_t begin = 1'769'860'800;  // 2026-01-31 12:00:00 UTC

}  // namespace

TEST_CASE("tell: a flood is cut off, and the next message says how much was left out") {
  Mailbox box;
  Teller teller = box.teller({"mail"}, 3, 60);
  for (int node = 0; node < 500; ++node) teller.tell(drain_of(node), begin + node / 100);
  teller.tell({"breaker", "c", "n900", "", "ALARM"}, begin + 9);
  teller.send("c", begin + 10);
  CHECK(box.sent == std::vector<std::string>{"mail: slipway: c: n0 drained: disk / full",
                                             "mail: slipway: c: n1 drained: disk / full",
                                             "mail: slipway: c: n2 drained: disk / full"});
  box.sent.clear();
  teller.send("c", begin + 3599);
  CHECK(box.sent.empty());
  teller.tell(drain_of(7), begin + 3601);
  teller.send("c", begin + 3601);
  CHECK(box.sent ==
        std::vector<std::string>{
            "mail: slipway: c: n7 drained: disk / full; 498 messages were left out since "
            "2026-01-31 12:00:00Z (1 breaker, 497 drain)"});
}

TEST_CASE("tell: the number of messages left out is sent without another event, once there is room") {
  Mailbox box;
  Teller teller = box.teller({"mail"}, 1, 10);
  teller.tell(drain_of(1), begin);
  teller.tell(drain_of(2), begin);
  teller.send("c", begin);
  box.sent.clear();
  teller.send("c", begin + 600);
  teller.send("c", begin + 1300);
  CHECK(box.sent ==
        std::vector<std::string>{
            "mail: slipway: c: 1 message was left out since 2026-01-31 12:00:00Z (1 drain)"});
}

TEST_CASE("tell: a restart keeps the rate") {
  Mailbox box;
  Teller before = box.teller({"mail"}, 1, 60);
  before.tell(drain_of(1), begin);
  Teller after = box.teller({"mail"}, 1, 60);
  after.limit().restore(before.limit().state());
  after.tell(drain_of(2), begin + 60);
  after.send("c", begin + 60);
  CHECK(box.sent.empty());
}

TEST_CASE("tell: only the channel that refused is tried again, and is reported once") {
  Mailbox box;
  Teller teller = box.teller({"mail", "webhook"}, 10, 60);
  box.down = {"webhook"};
  teller.tell(drain_of(1), begin);
  for (int i = 0; i < 5; ++i) teller.send("c", begin + i);
  CHECK(box.said == std::vector<std::string>{"webhook: no answer"});
  box.down.clear();
  teller.send("c", begin + 9);
  CHECK(box.sent == std::vector<std::string>{"mail: slipway: c: n1 drained: disk / full",
                                             "webhook: slipway: c: n1 drained: disk / full"});
  CHECK(teller.waiting() == 0);
}

TEST_CASE("tell: what nobody takes is given up in the end, and never fills the memory") {
  Mailbox box;
  Teller teller = box.teller({"mail"}, 10'000, 60);
  box.down = {"mail"};
  for (int node = 0; node < 1000; ++node) teller.tell(drain_of(node), begin);
  CHECK(teller.waiting() == 200);
  for (int i = 0; i < 20; ++i) teller.send("c", begin + i);
  CHECK(teller.waiting() == 0);
  CHECK(box.said.back() == "gave up after 20 tries: slipway: c: n999 drained: disk / full");
}

TEST_CASE("tell: a clock that is set back does not silence it") {
  RateLimit limit(1, 60);
  CHECK(limit.take(begin + 100'000));
  CHECK(limit.take(begin));
  CHECK(!limit.take(begin + 1));
}
