// Tests of how dead nodes are found.
#include "launcher/node/dead_nodes.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <thread>

#include "common/fd.h"
#include "tests/unit/catch.h"

using namespace slipway;
using namespace slipway::node;
using namespace std::chrono_literals;
using Names = std::vector<std::string>;

namespace {

// Checks a cluster every five seconds, with Slurm's states as `text`: probes for three seconds and
// pauses for two. On `alive` nodes slurmd answers; on `frozen` ones only the kernel.
struct Watched {
  DeadNodes nodes;
  DeadNodes::Clock::time_point now = {};
  std::set<std::string> frozen = {};

  Names look(const std::string& text, const std::set<std::string>& alive = {}) {
    Answers answers;
    for (const std::string& node : alive) answers[node] = Answer::daemon;
    for (const std::string& node : frozen) answers[node] = Answer::kernel;
    now += 2s;
    probed = nodes.to_probe(parse_node_states(text), now);
    now += 3s;
    return nodes.dead({probed.begin(), probed.end()}, answers, now);
  }
  // The number of the check at which some node is dead; 0: at none of ten.
  int first_dead(const std::string& text, const std::set<std::string>& alive = {}) {
    for (int i = 1; i <= 10; ++i) {
      if (!look(text, alive).empty()) return i;
    }
    return 0;
  }
  Names probed;
};

const std::string busy =
    "n-0|completing|none|\nn-1|allocated|none|\nn-2|idle|none|\nn-3|idle|none|\n";

bool waits_for(const std::string& state) {
  return parse_node_states("n|" + state + "|none|\n").at(0).is_waited_for();
}

}  // namespace

TEST_CASE("dead nodes: reads Slurm's states, a node in several partitions once") {
  const auto states = parse_node_states(
      "n-1 |IDLE+COMPLETING+DRAIN |gpu_count: 7|\nn-1|idle+completing+drain|gpu_count: 7|\nwhat\n");
  REQUIRE(states.size() == 1);
  CHECK(states[0].node == "n-1");
  CHECK(states[0].flags == std::set<std::string>{"idle", "completing", "drain"});
  CHECK(states[0].reason == "gpu_count: 7");
}

TEST_CASE("dead nodes: probes only nodes that Slurm waits for and whose power nobody changes") {
  CHECK(waits_for("allocated+completing"));
  CHECK(waits_for("mixed+not_responding"));
  CHECK(waits_for("idle+drain+not_responding"));
  for (const char* state :
       {"idle", "allocated", "down+not_responding", "idle+cloud+powering_up+not_responding",
        "idle+cloud+powering_down+completing", "idle+cloud+powered_down+not_responding",
        "allocated+reboot_issued+not_responding", "unknown+not_responding"}) {
    CHECK_FALSE(waits_for(state));
  }
}

TEST_CASE("dead nodes: a node is dead after three unanswered probes and 12 s") {
  Watched cluster;
  CHECK(cluster.look(busy).empty());
  CHECK(cluster.probed.empty());  // it may only be completing
  CHECK(cluster.look(busy).empty());
  CHECK(cluster.probed == Names{"n-0"});
  CHECK(cluster.look(busy).empty());
  CHECK(cluster.look(busy) == Names{"n-0"});
  Watched quick;
  quick.look(busy);
  for (int i = 0; i < 3; ++i) {
    CHECK(quick.nodes.to_probe(parse_node_states(busy), quick.now) == Names{"n-0"});
    CHECK(quick.nodes.dead({"n-0"}, {}, quick.now + 3s).empty());  // three probes, but at once
  }
}

TEST_CASE("dead nodes: if only the kernel answers, a node without other jobs is dead") {
  const std::string rest = "|none|\nn-1|allocated|none|\nn-2|idle|none|\n";
  Watched frozen;
  frozen.frozen = {"n-0"};
  CHECK(frozen.first_dead("n-0|idle+completing" + rest) == 4);
  for (const char* state : {"allocated+completing", "mixed+completing", "mixed+not_responding"}) {
    Watched busier;
    busier.frozen = {"n-0"};
    CHECK(busier.first_dead("n-0|" + std::string(state) + rest) == 0);
  }
}

TEST_CASE("dead nodes: finds those that are down for this reason only") {
  const auto states = parse_node_states(
      "n-0|DOWN+NOT_RESPONDING|off|\nn-1|DOWN|other|\nn-2|idle|off|\nn-3|DOWN+DRAIN|off|\n"
      "n-4|DOWN+CLOUD+POWERING_UP|off|\nn-5|down|off|\n");
  CHECK(down_for("off", states) == Names{"n-0", "n-5"});
}

TEST_CASE("dead nodes: a node known to be alive is not probed again soon") {
  Watched cluster;
  CHECK(cluster.first_dead(busy) == 4);
  cluster.nodes.mark_alive("n-0", cluster.now);
  CHECK(cluster.first_dead(busy) >= 9);
}

TEST_CASE("dead nodes: a node that answers is alive and not probed again soon") {
  Watched cluster;
  cluster.look(busy);
  cluster.look(busy, {"n-0"});
  CHECK(cluster.probed == Names{"n-0"});
  for (int i = 0; i < 6; ++i) {
    CHECK(cluster.look(busy).empty());
    CHECK(cluster.probed.empty());
  }
  cluster.look(busy);
  CHECK(cluster.probed == Names{"n-0"});
}

TEST_CASE("dead nodes: the count restarts after an answer, and when Slurm waits no longer") {
  Watched answers;
  for (int i = 0; i < 3; ++i) CHECK(answers.look(busy).empty());
  CHECK(answers.look(busy, {"n-0"}).empty());
  CHECK(answers.first_dead(busy) >= 9);  // a pause of 30 s, then 12 s
  Watched done;
  for (int i = 0; i < 3; ++i) CHECK(done.look(busy).empty());
  done.look("n-0|idle|none|\nn-1|idle|none|\n");
  CHECK(done.first_dead(busy) == 4);
}

TEST_CASE("dead nodes: half of a cluster can be dead; more means that our own network is broken") {
  const std::string half =
      "n-0|completing|none|\nn-1|completing|none|\nn-2|idle|none|\nn-3|idle|none|\n";
  const std::string most =
      "n-0|completing|none|\nn-1|completing|none|\nn-2|mixed+not_responding|none|\nn-3|idle|none|"
      "\n";
  Watched cluster;
  CHECK(cluster.first_dead(half) == 4);
  Watched alone;
  CHECK(alone.first_dead(most) == 0);
  CHECK(alone.first_dead(most, {"n-2"}) > 0);
  // Nodes that are off are not counted.
  Watched small;
  CHECK(small.first_dead("n-0|completing|none|\nn-1|idle+powered_down|none|\nn-2|down|x|\n") == 0);
}

TEST_CASE("dead nodes: a kernel refuses or accepts a connection, a daemon closes it") {
  Fd listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  REQUIRE(::bind(listener.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  socklen_t length = sizeof address;
  REQUIRE(::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &length) == 0);
  const int port = ntohs(address.sin_port);
  const std::vector<std::string> hosts = {"127.0.0.1", "no-such-host.invalid"};
  const Answers daemon = {{"127.0.0.1", Answer::daemon}}, kernel = {{"127.0.0.1", Answer::kernel}},
                refusal = {{"127.0.0.1", Answer::refusal}};
  CHECK(probe_hosts(hosts, port, 2s) == refusal);
  REQUIRE(::listen(listener.get(), 5) == 0);
  CHECK(probe_hosts(hosts, port, 200ms) == kernel);
  const bool resets = GENERATE(false, true);
  std::thread accepts([&] {
    for (int i = 0; i < 2; ++i) {  // first the ones above
      const Fd taken(::accept(listener.get(), nullptr, nullptr));
      const linger at_once = {1, 0};
      if (resets) ::setsockopt(taken.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    }
  });
  CHECK(probe_hosts(hosts, port, 5s) == daemon);
  accepts.join();
}
