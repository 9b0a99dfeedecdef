#include "launcher/job/agents.h"

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <atomic>
#include <functional>
#include <thread>

#include "common/error.h"
#include "common/tcp.h"
#include "launcher/job/agent_connection.h"
#include "tests/unit/catch.h"

using namespace slipway;
using namespace slipway::job;
using namespace std::chrono_literals;

namespace {

// An agent on its own thread, because connecting needs both sides to act.
class TestAgent {
 public:
  TestAgent(const Agents& agents, const std::string& node, const Secret& key,
            const Speaker& own = this_program(), std::chrono::milliseconds limit = 20s)
      : thread_([this, port = agents.port(), node, key, own, limit] {
          try {
            wire_.emplace(connect_to_launcher("127.0.0.1", port, key, node, limit, own), 1 << 20);
          } catch (const Error& error) {
            error_ = error.what();
          }
          done_ = true;
        }) {}
  TestAgent(const Agents& agents, const std::string& node)
      : TestAgent(agents, node, agents.key()) {}

  bool done() const { return done_; }
  Wire& wire() { return wire_.value(); }
  const std::string& error() const { return error_; }

 private:
  std::optional<Wire> wire_;
  std::string error_;
  std::atomic<bool> done_ = false;
  std::jthread thread_;
};

// Receives events until `enough`, for a minute at most.
std::vector<AgentEvent> hear(Agents& agents, const std::function<bool()>& enough) {
  std::vector<AgentEvent> all;
  for (const auto end = Agents::Clock::now() + 60s; !enough() && Agents::Clock::now() < end;) {
    for (AgentEvent& event : agents.wait(10ms, -1, true)) all.push_back(std::move(event));
  }
  return all;
}

std::string text_of_gone(const std::vector<AgentEvent>& events) {
  REQUIRE(events.size() == 1);
  return std::get<Gone>(events[0].news).text;
}

Wire stranger_of(const Agents& agents) {
  Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in to = {};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<uint16_t>(agents.port()));
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  REQUIRE(::connect(fd.get(), reinterpret_cast<sockaddr*>(&to), sizeof to) == 0);
  return Wire(std::move(fd), 1 << 20);
}

}  // namespace

TEST_CASE("agents: an agent with the key can send messages") {
  Agents agents({"a", "b"}, 60s, "here");
  TestAgent agent(agents, "a");
  hear(agents, [&] { return agent.done(); });
  agent.wire().put(encode(TaskText{3, 2, std::string(300'000, 'x')}));
  std::vector<AgentEvent> heard;
  hear(agents, [&] {
    agent.wire().flush();
    for (AgentEvent& event : agents.wait(10ms, -1, true)) heard.push_back(std::move(event));
    return !heard.empty();
  });
  REQUIRE(heard.size() == 1);
  CHECK(heard[0].node == "a");
  CHECK(std::get<TaskText>(heard[0].news).bytes.size() == 300'000);
  CHECK(agents.missing() == 1);
}

TEST_CASE("agents: a peer without the key, or for an unknown node, is not admitted") {
  Agents agents({"a"}, 60s, "here");
  TestAgent guesses(agents, "a", random_secret(), this_program(), 300ms);
  TestAgent other(agents, "z");
  Wire noise = stranger_of(agents);
  const std::string request = "GET / HTTP/1.1\r\n\r\n" + std::string(answer_bytes, 'x');
  CHECK(::send(noise.fd(), request.data(), request.size(), 0) ==
        static_cast<ssize_t>(request.size()));
  const auto sent_away = [](Wire& wire) { return !wire.receive(); };
  hear(agents, [&] { return guesses.done() && other.done() && sent_away(noise); });
  CHECK_THAT(guesses.error(), ContainsSubstring("did not accept this agent"));
  CHECK(other.error().empty());
  CHECK(sent_away(other.wire()));
  CHECK(sent_away(noise));
  CHECK(agents.missing() == 1);
}

TEST_CASE("agents: a silent agent is gone, and notices it") {
  Agents agents({"a", "b"}, 100ms, "here");
  TestAgent agent(agents, "a");
  const auto heard = hear(agents, [&] { return agents.missing() == 1 && !agents.is_here("a"); });
  CHECK(text_of_gone(heard) == "no heartbeat for 0.1 s");
  while (agent.wire().receive()) std::this_thread::sleep_for(1ms);
  TestAgent again(agents, "a");
  hear(agents, [&] { return again.done() && !again.wire().receive(); });
  CHECK_FALSE(agents.is_here("a"));
}

TEST_CASE("agents: an agent whose connection ends is gone at once") {
  Agents agents({"a"}, 60s, "here");
  {
    TestAgent agent(agents, "a");
    hear(agents, [&] { return agents.is_here("a") && agent.done(); });
  }
  const auto heard = hear(agents, [&] { return !agents.is_here("a"); });
  CHECK(text_of_gone(heard) == "its agent closed the connection");
}

TEST_CASE("agents: other nodes join only when they may") {
  Agents agents({"a"}, 60s, "here");
  agents.open_to_others([](const std::string& node) { return node != "c"; });
  TestAgent first(agents, "a"), other(agents, "b"), unwanted(agents, "c");
  std::vector<AgentEvent> heard = hear(agents, [&] {
    return agents.is_here("a") && agents.is_here("b") && unwanted.done() &&
           !unwanted.wire().receive();
  });
  REQUIRE(heard.size() == 1);
  CHECK(heard[0].node == "b");
  CHECK(std::holds_alternative<Joined>(heard[0].news));
  CHECK_FALSE(agents.is_here("c"));
  // A second agent on the same node does not take the place of the first.
  TestAgent second(agents, "b");
  hear(agents, [&] { return second.done() && !second.wire().receive(); });
  CHECK(agents.is_here("b"));
}

TEST_CASE("agents: a node that was lost may join again") {
  Agents agents({"a", "b"}, 60s, "here");
  agents.open_to_others([](const std::string&) { return true; });
  {
    TestAgent agent(agents, "a");
    hear(agents, [&] { return agents.is_here("a") && agent.done(); });
  }
  hear(agents, [&] { return !agents.is_here("a"); });
  TestAgent again(agents, "a");
  const auto heard = hear(agents, [&] { return agents.is_here("a"); });
  REQUIRE(heard.size() == 1);
  CHECK(std::holds_alternative<Joined>(heard[0].news));
  // So may one that never came.
  agents.give_up_missing();
  CHECK(agents.missing() == 0);
  TestAgent late(agents, "b");
  CHECK(hear(agents, [&] { return agents.is_here("b"); }).size() == 1);
}

TEST_CASE("agents: an agent that sends an invalid message is gone, with the reason") {
  Agents agents({"a"}, 60s, "here");
  TestAgent agent(agents, "a");
  hear(agents, [&] { return agent.done(); });
  std::string why;
  SECTION("an unknown kind") {
    agent.wire().put("\x63");
    why = "unknown kind 99";
  }
  SECTION("a message for agents") {
    agent.wire().put(encode(Stop{1}));
    why = "it ends too early";
  }
  SECTION("trailing bytes") {
    agent.wire().put(encode(Refused{"no"}) + "!");
    why = "1 bytes too many";
  }
  const auto heard = hear(agents, [&] { return !agents.is_here("a"); });
  CHECK(text_of_gone(heard) == "the agent on a sent an invalid message: " + why);
}

TEST_CASE("agents: no agent counts as silent while nothing is read") {
  Agents agents({"a"}, 100ms, "here");
  TestAgent agent(agents, "a");
  hear(agents, [&] { return agents.is_here("a"); });
  for (int i = 0; i < 30; ++i) CHECK(agents.wait(10ms, -1, false).empty());
  CHECK(agents.is_here("a"));
}

TEST_CASE("agents: with another protocol, agent and launcher both report it in one line") {
  Agents agents({"a"}, 60s, "head", {7, "1.2.0"});
  TestAgent agent(agents, "a", agents.key(), {8, "1.3.0"});
  const auto heard = hear(agents, [&] { return agent.done() && agents.missing() == 0; });
  CHECK(text_of_gone(heard) ==
        "slipway launch on head is version 1.2.0 (protocol 7), the agent there is 1.3.0 (protocol "
        "8): install the same version on all nodes");
  CHECK(std::get<Gone>(heard.at(0).news).has_other_version);
  // The agent knows the launcher by its address.
  CHECK(agent.error() ==
        "slipway launch on 127.0.0.1 is version 1.2.0 (protocol 7), the agent on a is 1.3.0 "
        "(protocol 8): install the same version on all nodes");
}

TEST_CASE("agents: another version with the same protocol is accepted") {
  Agents agents({"a"}, 60s, "head", {7, "1.2.0"});
  TestAgent agent(agents, "a", agents.key(), {7, "1.2.1"});
  CHECK(hear(agents, [&] { return agent.done() && agents.missing() == 0; }).empty());
  CHECK(agents.is_here("a"));
}

TEST_CASE("agents: a launcher without the key is rejected") {
  const Fd listener = listen_for_agents();
  const Secret key = random_secret();
  std::string error;
  std::jthread agent([&] {
    try {
      connect_to_launcher("127.0.0.1", port_of(listener.get()), key, "a", 10s, this_program());
    } catch (const Error& wrong) {
      error = wrong.what();
    }
  });
  pollfd waiting = {listener.get(), POLLIN, 0};
  REQUIRE(::poll(&waiting, 1, 20'000) == 1);
  Fd socket(::accept(listener.get(), nullptr, nullptr));
  const auto say = [&](const std::string& text) {
    return ::send(socket.get(), text.data(), text.size(), MSG_NOSIGNAL) ==
           static_cast<ssize_t>(text.size());
  };
  std::string expected;
  SECTION("another protocol") {
    CHECK(say(std::string(greeting_bytes, 'x')));
    expected = " is not a launcher";
  }
  SECTION("the agent's own proof sent back") {
    const std::string greeting = make_greeting(this_program());
    CHECK(say(greeting));
    std::string answer(answer_bytes, '\0');
    REQUIRE(::recv(socket.get(), answer.data(), answer.size(), MSG_WAITALL) ==
            static_cast<ssize_t>(answer.size()));
    CHECK(check_answer(key, agent_purpose, greeting, answer).has_value());
    CHECK(say(answer.substr(answer_bytes - confirmation_bytes)));
    expected = " does not have this job's key, so it is not its launcher";
  }
  agent.join();
  CHECK(error == "the peer at 127.0.0.1:" + std::to_string(port_of(listener.get())) + expected);
}

TEST_CASE("agents: an agent that is dropped before it could prove itself tries again") {
  const Fd listener = listen_for_agents();
  const linger at_once = {1, 0};
  ::setsockopt(listener.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  const Secret key = random_secret();
  std::string error = "not met";
  std::jthread agent([&] {
    try {
      connect_to_launcher("127.0.0.1", port_of(listener.get()), key, "a", 30s, this_program());
      error.clear();
    } catch (const Error& wrong) {
      error = wrong.what();
    }
  });
  pollfd waiting = {listener.get(), POLLIN, 0};
  // Dropped with a reset at any point, as happens when too many peers are unproven.
  for (int i = 0; i < 50; ++i) {
    REQUIRE(::poll(&waiting, 1, 20'000) == 1);
    Fd(::accept(listener.get(), nullptr, nullptr));
  }
  REQUIRE(::poll(&waiting, 1, 20'000) == 1);
  const Fd socket(::accept(listener.get(), nullptr, nullptr));
  const std::string greeting = make_greeting(this_program());
  REQUIRE(::send(socket.get(), greeting.data(), greeting.size(), 0) ==
          static_cast<ssize_t>(greeting.size()));
  std::string answer(answer_bytes, '\0');
  REQUIRE(::recv(socket.get(), answer.data(), answer.size(), MSG_WAITALL) ==
          static_cast<ssize_t>(answer.size()));
  const std::string confirmation = make_confirmation(key, agent_purpose, greeting, answer);
  REQUIRE(::send(socket.get(), confirmation.data(), confirmation.size(), 0) ==
          static_cast<ssize_t>(confirmation.size()));
  agent.join();
  CHECK(error.empty());
}
