// Agents find their launcher while thousands of clients connect to it.
#include <fmt/core.h>

#include <atomic>

#include "common/error.h"
#include "common/pending_clients.h"
#include "launcher/job/agent_connection.h"
#include "launcher/job/agents.h"
#include "tests/unit/catch.h"
#include "tests/unit/flood.h"

using namespace slipway;
using namespace slipway::job;
using namespace std::chrono_literals;

namespace {

using Clock = Agents::Clock;

constexpr int agents_count = 32;
constexpr int clients_count = 10'000;

// How long it takes until all agents are connected, each on its own; the caller's thread receives.
class Arrivals {
 public:
  Arrivals(const Agents& agents, int first) {
    for (int i = first; i < first + agents_count; ++i) {
      threads_.emplace_back([this, port = agents.port(), key = agents.key(), i] {
        try {
          const Fd socket = connect_to_launcher("127.0.0.1", port, key, fmt::format("n{}", i), 60s,
                                                this_program());
          ++arrived_;
          while (!over_) std::this_thread::sleep_for(5ms);
        } catch (const Error&) {
        }
      });
    }
  }
  ~Arrivals() { over_ = true; }

  bool done() {
    if (arrived_ < agents_count) return false;
    if (taken_ == Clock::duration()) taken_ = Clock::now() - begin_;
    return true;
  }
  Clock::duration taken() const { return taken_; }

 private:
  Clock::time_point begin_ = Clock::now();
  Clock::duration taken_ = {};
  std::atomic<int> arrived_ = 0;
  std::atomic<bool> over_ = false;
  std::vector<std::jthread> threads_;
};

std::vector<std::string> nodes() {
  std::vector<std::string> all = {"never comes"};
  for (int i = 0; i < 2 * agents_count; ++i) all.push_back(fmt::format("n{}", i));
  return all;
}

std::string recorded_answer(const Secret& key) {
  return make_answer(key, agent_purpose, this_program(), make_greeting(this_program()), "n1");
}

}  // namespace

TEST_CASE("agents: 10,000 unproven peers keep no agent out, and disturb none that is connected") {
  raise_descriptor_limit();
  Agents agents(nodes(), 60s, "here");
  std::vector<AgentEvent> events;
  const auto pump_until = [&](auto enough) {
    for (const auto end = Clock::now() + 120s; !enough() && Clock::now() < end;) {
      for (AgentEvent& each : agents.wait(10ms, -1, true)) events.push_back(std::move(each));
    }
    REQUIRE(enough());
  };

  Arrivals alone(agents, 0);
  pump_until([&] { return alone.done(); });

  std::vector<std::string> addresses;
  SECTION("from one other address") {
    addresses = {"127.0.0.2"};
  }
  SECTION("from the agents' own address") {
    addresses = {"127.0.0.1"};
  }
  SECTION("from two hundred addresses") {
    for (int i = 2; i < 202; ++i) addresses.push_back(fmt::format("127.0.0.{}", i));
  }
  test::Flood flood(agents.port(), addresses, recorded_answer(agents.key()));
  pump_until([&] { return flood.connections() > 1000; });
  Arrivals besieged(agents, agents_count);
  pump_until([&] { return besieged.done(); });
  pump_until([&] { return flood.connections() > clients_count; });
  flood.stop();

  const auto in_ms = [](auto time) {
    return std::chrono::duration<double, std::milli>(time).count();
  };
  INFO(agents_count << " agents took " << in_ms(alone.taken()) << " ms alone, "
                    << in_ms(besieged.taken()) << " ms among clients");
  CHECK(besieged.taken() < 20 * alone.taken() + 10s);
  CHECK(events.empty());
  CHECK(agents.missing() == 1);
  for (int i = 0; i < 2 * agents_count; ++i) CHECK(agents.is_here(fmt::format("n{}", i)));
}
