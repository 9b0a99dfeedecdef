#include "launcher/job/agents.h"

#include <sys/socket.h>

#include <thread>

#include "common/error.h"
#include "tests/unit/catch.h"

using namespace slipway::job;
using namespace std::chrono_literals;

namespace {

Wire agent_of(const Agents& agents) {
  return Wire(connect_to_launcher("127.0.0.1", agents.port(), 5), 1 << 20);
}

Message hello(const Agents& agents, const std::string& node) {
  return {{"is", "hello"}, {"token", agents.token()}, {"node", node}};
}

// What is heard until `enough`, a minute at most.
std::vector<AgentEvent> hear(Agents& agents, const std::function<bool()>& enough) {
  std::vector<AgentEvent> all;
  for (const auto end = Agents::Clock::now() + 60s; !enough() && Agents::Clock::now() < end;) {
    for (AgentEvent& event : agents.wait(10ms, -1, true)) all.push_back(std::move(event));
  }
  return all;
}

}  // namespace

TEST_CASE("agents: who shows the token is heard") {
  Agents agents({"a", "b"}, 60s);
  Wire wire = agent_of(agents);
  wire.put(hello(agents, "a"));
  wire.put({{"is", "beat"}, {"text", std::string(300'000, 'x')}});
  std::vector<AgentEvent> heard;
  hear(agents, [&] {
    wire.flush();
    for (AgentEvent& event : agents.wait(10ms, -1, true)) heard.push_back(std::move(event));
    return !heard.empty();
  });
  REQUIRE(heard.size() == 1);
  CHECK(heard[0].node == "a");
  CHECK(heard[0].message.at("text").get<std::string>().size() == 300'000);
  CHECK(agents.missing() == 1);
}

TEST_CASE("agents: without the token, or for a node of others, nobody comes in") {
  Agents agents({"a"}, 60s);
  Wire stranger = agent_of(agents), other = agent_of(agents), noise = agent_of(agents);
  stranger.put({{"is", "hello"}, {"token", "guess"}, {"node", "a"}});
  other.put(hello(agents, "z"));
  CHECK(::send(noise.fd(), "GET / HTTP/1.1\r\n\r\n", 18, 0) == 18);
  const auto sent_away = [](Wire& wire) { return !wire.receive(); };
  hear(agents, [&] { return sent_away(stranger) && sent_away(other) && sent_away(noise); });
  CHECK(sent_away(stranger));
  CHECK(sent_away(other));
  CHECK(sent_away(noise));
  CHECK(agents.missing() == 1);
}

TEST_CASE("agents: one that is silent is gone, and finds out") {
  Agents agents({"a"}, 100ms);
  Wire wire = agent_of(agents);
  wire.put(hello(agents, "a"));
  const auto heard = hear(agents, [&] { return agents.missing() == 0 && !agents.is_here("a"); });
  REQUIRE(heard.size() == 1);
  CHECK(heard[0].message.at("text") == "no heartbeat for 0.1 s");
  while (wire.receive()) std::this_thread::sleep_for(1ms);
  Wire again = agent_of(agents);
  again.put(hello(agents, "a"));
  hear(agents, [&] { return !again.receive(); });
  CHECK_FALSE(agents.is_here("a"));
}

TEST_CASE("agents: one whose connection ends is gone at once") {
  Agents agents({"a"}, 60s);
  {
    Wire wire = agent_of(agents);
    wire.put(hello(agents, "a"));
    hear(agents, [&] { return agents.is_here("a"); });
  }
  const auto heard = hear(agents, [&] { return !agents.is_here("a"); });
  REQUIRE(heard.size() == 1);
  CHECK(heard[0].message.at("text") == "the connection to its agent has ended");
}

TEST_CASE("agents: nobody is silent while nothing is read") {
  Agents agents({"a"}, 100ms);
  Wire wire = agent_of(agents);
  wire.put(hello(agents, "a"));
  hear(agents, [&] { return agents.is_here("a"); });
  for (int i = 0; i < 30; ++i) CHECK(agents.wait(10ms, -1, false).empty());
  CHECK(agents.is_here("a"));
}
