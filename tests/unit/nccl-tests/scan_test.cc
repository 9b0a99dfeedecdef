#include "nccl-tests/scan.h"

#include <algorithm>
#include <set>

#include <fmt/core.h>

#include "common/error.h"
#include "nccl-tests/scan_verdict.h"
#include "tests/unit/catch.h"

using namespace slipway;
using namespace slipway::bandwidth;

namespace {

SimWorld world_of(int nodes, double noise = 0, uint64_t seed = 1) {
  SimWorld world;
  world.nodes = nodes;
  world.gb_per_s = 25;
  world.noise = noise;
  world.seed = seed;
  return world;
}

PairTest short_test() {
  PairTest test;
  test.timing.iterations = 1;
  test.timing.samples = 5;
  return test;
}

struct Scanned {
  int rounds = 0;
  std::vector<Finding> found;
  std::string text;
  ScanResult result = ScanResult::nothing;
};

Scanned scan_of(const SimWorld& world, ScanSettings settings = {}) {
  const auto nodes = nodes_of(world);
  const auto results = scan(nodes, {}, settings, on_sim(world, short_test()), [](const auto&) {});
  return {rounds_done(results), findings(nodes, results, settings),
          findings_text(nodes, results, settings), result_of(nodes, results, settings)};
}

std::vector<std::string> words(const Scanned& scanned) {
  std::vector<std::string> all;
  for (const Finding& finding : scanned.found) {
    std::string word(to_string(finding.what));
    for (const int node : finding.nodes) word += " " + SimWorld::name_of(node);
    all.push_back(word);
  }
  return all;
}
using Words = std::vector<std::string>;

}  // namespace

TEST_CASE("scan plan: no node is in two pairs of a round, and each has two different partners") {
  for (const int count : {2, 3, 4, 7, 16, 33}) {
    std::vector<ScanNode> nodes(static_cast<size_t>(count));
    std::vector<PairResult> results;
    std::vector<std::set<int>> partners(nodes.size());
    for (int number = 0; number < 3; ++number) {
      std::set<int> busy;
      for (const Pair& pair : next_round(nodes, results, {})) {
        CHECK(busy.insert(pair.a).second);
        CHECK(busy.insert(pair.b).second);
        partners[static_cast<size_t>(pair.a)].insert(pair.b);
        partners[static_cast<size_t>(pair.b)].insert(pair.a);
        results.push_back({number, pair, 1.0, ""});
      }
    }
    for (const auto& met : partners)
      CHECK(met.size() >= static_cast<size_t>(std::min(2, count - 1)));
  }
}

TEST_CASE("scan plan: the pairs depend on the seed alone") {
  const std::vector<ScanNode> nodes(32);
  CHECK(next_round(nodes, {}, {.seed = 5}) == next_round(nodes, {}, {.seed = 5}));
  CHECK(next_round(nodes, {}, {.seed = 5}) != next_round(nodes, {}, {.seed = 6}));
}

TEST_CASE(
    "scan plan: good nodes that suspects are compared with meet again, while the scan lasts") {
  const std::vector<ScanNode> nodes = {{"a"}, {"b"}, {"c"}, {"d"}};
  ScanSettings settings;
  settings.detect = 0.5;
  std::vector<PairResult> results;
  std::vector<int> rounds_of_good;
  for (;;) {
    const Round round = next_round(nodes, results, settings);
    if (round.empty()) break;
    const int number = rounds_done(results);
    for (const Pair& pair : round) {
      const bool slow = std::min(pair.a, pair.b) < 2;  // a and b
      results.push_back({number, pair, slow ? 5 : 25 + 0.1 * number, ""});
      if (!slow) rounds_of_good.push_back(number);
    }
  }
  REQUIRE(rounds_done(results) > 4);
  for (int number = 2; number + 1 < rounds_done(results); ++number) {
    const auto in = [&](int round) { return std::ranges::count(rounds_of_good, round) > 0; };
    CHECK((in(number) || in(number + 1)));
  }
}

TEST_CASE("scan plan: the rounds that are certain are shown before anything is measured") {
  PairTest test;
  test.timing.budget_seconds = 2;
  const std::vector<ScanNode> nodes = {{"a", 0}, {"b", 0}, {"c", 0}, {"d", 0}};
  CHECK(plan_text(nodes, {.seed = 1, .most_rounds = 2}, test) ==
        "4 nodes, at most 2 rounds\n"
        "round 1: 2 pairs\n  c b\n  a d\n"
        "round 2: 2 pairs\n  c d\n  a b\n"
        "expected time: at most 10 s, 5 s a round\n");
}

TEST_CASE("scan: a scan of healthy nodes ends after two rounds without findings") {
  const Scanned scanned = scan_of(world_of(64, 0.02));
  CHECK(words(scanned).empty());
  CHECK(scanned.rounds == 2);
  CHECK_THAT(scanned.text, ContainsSubstring("no slow node, link or block\n"));
}

TEST_CASE("scan: a slow node is found among even and odd numbers of nodes, with its evidence") {
  for (const int count : {4, 5, 16, 17}) {
    SimWorld world = world_of(count, 0.01);
    world.slow_nodes[1] = 0.8;
    INFO(count << " nodes");
    const Scanned scanned = scan_of(world);
    CHECK(words(scanned) == Words{"node node-1"});
    CHECK(scanned.rounds <= 16);
  }
}

TEST_CASE("scan: with three nodes and one of them slow, a single good pair knows no noise") {
  SimWorld world = world_of(3, 0.01);
  world.slow_nodes[1] = 0.8;
  const Scanned scanned = scan_of(world);
  CHECK(words(scanned) == Words{"too noisy"});
  CHECK_THAT(scanned.text, ContainsSubstring("noise of pairs not known"));
  CHECK_THAT(scanned.text, !ContainsSubstring("State=DRAIN"));
}

TEST_CASE("scan: the line that would drain a node is printed") {
  SimWorld world = world_of(16);
  world.slow_nodes[7] = 0.8;
  CHECK_THAT(scan_of(world).text,
             ContainsSubstring("scontrol update NodeName=node-7 State=DRAIN Reason=\"bandwidth "
                               "scan: 20 % below the median of 16 nodes\"\n"));
}

TEST_CASE("scan: a node with which every pair fails is found, its partners are cleared") {
  SimWorld world = world_of(16, 0.01);
  world.dead = {5};
  const Scanned scanned = scan_of(world);
  CHECK(words(scanned) == Words{"node node-5"});
  CHECK_THAT(scanned.text, ContainsSubstring("node-5: every pair failed (failed with "));
}

TEST_CASE("scan: a slow link blames neither of its ends") {
  SimWorld world = world_of(16, 0.01);
  const Round first = next_round(nodes_of(world), {}, {});
  const Pair link = first.front();
  world.slow_links[{std::min(link.a, link.b), std::max(link.a, link.b)}] = 0.5;
  const Scanned scanned = scan_of(world);
  REQUIRE(scanned.found.size() == 1);
  CHECK(scanned.found[0].what == Finding::What::link);
  CHECK(scanned.found[0].nodes.size() == 2);
}

TEST_CASE("scan: a slow uplink is reported as the block's") {
  SimWorld world = world_of(32, 0.01);
  world.block_size = 8;
  world.slow_blocks[2] = 0.5;
  const Scanned scanned = scan_of(world);
  CHECK(words(scanned) == Words{"block"});
  CHECK_THAT(scanned.text, ContainsSubstring("block: block 2: "));
}

TEST_CASE("scan: two slow uplinks of 16 blocks are both named, and the scan fails") {
  SimWorld world = world_of(256, 0.01);
  world.block_size = 16;
  world.slow_blocks[3] = 0.5;
  world.slow_blocks[11] = 0.7;
  const Scanned scanned = scan_of(world);
  CHECK(words(scanned) == Words{"block", "block"});
  CHECK_THAT(scanned.text,
             ContainsSubstring("block: block 3: ") && ContainsSubstring("block: block 11: "));
  CHECK(scanned.result == ScanResult::found);
}

TEST_CASE(
    "scan: the share of the links inside blocks that was measured is printed and can be set") {
  SimWorld world = world_of(32, 0.01);
  world.block_size = 16;
  CHECK_THAT(scan_of(world).text,
             ContainsSubstring("links inside blocks: 32 of 240 pairs measured (13 %)"));
  const Pair links[] = {{0, 5}, {17, 30}, {9, 14}};
  for (const Pair& link : links) world.slow_links[{link.a, link.b}] = 0.7;
  const Scanned all = scan_of(world, {.coverage = 1});
  CHECK_THAT(all.text, ContainsSubstring("240 of 240 pairs measured (100 %)"));
  CHECK(words(all) == Words{"link node-0 node-5", "link node-9 node-14", "link node-17 node-30"});
}

TEST_CASE("scan: a node that has left the scan is named, and never planned again") {
  const std::vector<ScanNode> nodes(9);
  const ScanSettings settings{.lost = {{4, "stopped answering in round 1"}}};
  std::vector<PairResult> results;
  for (int number = 0; number < 3; ++number) {
    for (const Pair& pair : next_round(nodes, results, settings)) {
      CHECK(pair.a != 4);
      CHECK(pair.b != 4);
      results.push_back({number, pair, 1.0, ""});
    }
  }
  const auto found = findings(nodes, results, settings);
  REQUIRE(found.size() == 1);
  CHECK(found[0].what == Finding::What::node);
  CHECK(found[0].reason == "stopped answering in round 1");
}

TEST_CASE("scan: with two blocks, a slow uplink cannot be located") {
  SimWorld world = world_of(16, 0.01);
  world.block_size = 8;
  world.slow_blocks[1] = 0.5;
  CHECK(words(scan_of(world)) == Words{});  // every pair across is as slow as every other
}

TEST_CASE("scan: with two nodes, the slow one cannot be located") {
  SimWorld world = world_of(2);
  world.slow_nodes[1] = 0.5;
  CHECK(words(scan_of(world)).empty());
}

TEST_CASE("scan: 1 to 5 slow nodes of 512 with 5 % noise are found, and no other", "[chance]") {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    SimWorld world = world_of(512, 0.05, seed);
    Words expected;
    for (uint64_t i = 0; i < seed; ++i) {
      const int node = static_cast<int>((seed * 97 + i * 131) % 512);
      world.slow_nodes[node] = 0.8;
    }
    for (const auto& [node, factor] : world.slow_nodes) {
      expected.push_back("node " + SimWorld::name_of(node));
    }
    const Scanned scanned = scan_of(world, {.seed = seed});
    CHECK(words(scanned) == expected);
    CHECK(scanned.rounds <= 16);
  }
}

TEST_CASE("scan: a node at a thirtieth is found where the others differ threefold") {
  const std::vector<ScanNode> nodes(16);
  int turn = 0;
  const MeasureRound measure = [&](const Round& round, int number) {
    std::vector<PairResult> results;
    for (const Pair& pair : round) {
      const bool slow = pair.a == 5 || pair.b == 5;
      results.push_back({number, pair, slow ? 0.03 : 0.1 + 0.05 * (turn++ % 5), ""});
    }
    return results;
  };
  const ScanSettings settings{.detect = 0.9};
  const auto results = scan(nodes, {}, settings, measure, [](const auto&) {});
  const auto found = findings(nodes, results, settings);
  REQUIRE(found.size() == 1);
  CHECK(found[0].what == Finding::What::node);
  CHECK(found[0].nodes == std::vector{5});
}

TEST_CASE("scan: resumes from a state file, without nodes that have left") {
  SimWorld world = world_of(16, 0.01);
  world.slow_nodes[3] = 0.8;
  const auto nodes = nodes_of(world);
  std::string kept;
  int rounds = 0;
  const auto measure_round = on_sim(world, short_test());
  const auto interrupted = [&](const Round& round, int number) {
    if (++rounds == 2) throw Error("killed");
    return measure_round(round, number);
  };
  CHECK_THROWS(scan(nodes, {}, {}, interrupted,
                    [&](const auto& results) { kept = scan_to_json(nodes, results, {}); }));
  const auto known = scan_from_json(kept, "scan.json", nodes);
  CHECK(known.size() == 8);
  const auto results = scan(nodes, known, {}, measure_round, [](const auto&) {});
  CHECK(findings(nodes, results, {}).size() == 1);

  const std::vector<ScanNode> fewer(nodes.begin(), nodes.end() - 2);
  const auto rest = scan_from_json(kept, "scan.json", fewer);
  CHECK(rest.size() < known.size());
  CHECK_THROWS_WITH(scan_from_json("{}", "scan.json", nodes),
                    ContainsSubstring("scan.json is not a scan: "));
}

TEST_CASE("scan: a state file with a wrong value is refused, and the place is named") {
  const auto [from, to, words] = GENERATE(table<std::string, std::string, std::string>({
      {"9.5", "-1", "`pairs[0].busbw_gb_per_s` is -1, expected a number from 1e-09 to 1000000"},
      {"9.5", "0", "`pairs[0].busbw_gb_per_s` is 0, expected a number"},
      {"9.5", "1e308", "`pairs[0].busbw_gb_per_s` is 1e+308, expected a number"},
      {"9.5", "1e999", "it is not JSON"},
      {"9.5", "NaN", "it is not JSON"},
      {"9.5", "\"9.5\"", "`pairs[0].busbw_gb_per_s` is \"9.5\", expected a number"},
      {"9.5", "null", "`pairs[0].busbw_gb_per_s` is null, expected a bandwidth, since `failure`"},
      {"\"failure\": null", "\"failure\": \"x\"", "is 9.5, expected null, since there is"},
      {"[\"a\", \"b\"]", "[\"a\", \"a\"]",
       "`pairs[0].nodes[1]` is \"a\", expected a different node"},
      {"[\"a\", \"b\"]", "[\"a\", \"x\"]", "`pairs[0].nodes[1]` is \"x\", expected a name"},
      {"[\"a\", \"b\"]", "[\"a\"]", "`pairs[0].nodes` is a list, expected two nodes"},
      {"[\"a\", \"b\"]", "7", "`pairs[0].nodes` is 7, expected a list"},
      {"[\"a\", \"b\"]", "[\"a\", \"c\"]", "in no other pair of round 1, and `c` is"},
      {"\"round\": 1,", "\"round\": 0,", "`pairs[0].round` is 0, expected a whole number from 1"},
      {"\"round\": 1,", "\"round\": 1.5,", "`pairs[0].round` is 1.5, expected a whole number"},
      {"\"round\": 1,", "", "`pairs[0].round` is missing"},
      {"{\"name\": \"b\"}", "{\"name\": \"a\"}",
       "`nodes[1].name` is \"a\", expected each node once"},
      {"{\"name\": \"b\"}", "7", "`nodes[1]` is 7, expected an object"},
      {"slipway/scan/1", "slipway/scan/2", "schema is `slipway/scan/2`"},
  }));
  std::string text = R"({"schema": "slipway/scan/1",
    "nodes": [{"name": "a"}, {"name": "b"}, {"name": "c"}, {"name": "d"}],
    "pairs": [
      {"round": 1, "nodes": ["a", "b"], "busbw_gb_per_s": 9.5, "failure": null},
      {"round": 1, "nodes": ["c", "d"], "busbw_gb_per_s": null, "failure": "no answer"}]})";
  const std::vector<ScanNode> nodes = {{"a", 0}, {"b", 0}, {"c", 0}, {"d", 0}};
  CHECK(scan_from_json(text, "scan.json", nodes).size() == 2);
  text.replace(text.find(from), from.size(), to);
  INFO(text);
  CHECK_THROWS_WITH(scan_from_json(text, "scan.json", nodes),
                    ContainsSubstring("scan.json is not a scan: ") && ContainsSubstring(words));
}

TEST_CASE("scan: one, two and three nodes under a switch of their own are compared with others") {
  // In 16 + 1 nodes, a slow one may have a slow path to the others: nobody else uses it.
  for (const auto& [others, left] : std::vector<std::pair<int, int>>{
           {48, 1}, {48, 2}, {48, 3}, {32, 1}, {32, 2}, {16, 1}, {16, 2}}) {
    for (const int slow_guests : {0, 1, left}) {
      const int count = others + left;
      std::vector<ScanNode> nodes;
      for (int node = 0; node < count; ++node)
        nodes.push_back({fmt::format("n{}", node), node / 16});
      const auto speed = [&](int node) { return node >= count - slow_guests ? 0.85 : 1.0; };
      const ScanSettings settings;
      std::vector<PairResult> results;
      for (;;) {
        const Round round = next_round(nodes, results, settings);
        if (round.empty()) break;
        const int number = rounds_done(results);
        for (const Pair& pair : round) {
          // Pairs across switches are slower, and no two measurements are equal.
          const double across = pair.a / 16 == pair.b / 16 || others == 16 ? 1 : 0.7;
          const double noise = 1 + 0.001 * ((pair.a * 7 + pair.b * 3 + number) % 11);
          results.push_back(
              {number, pair, 25 * across * noise * std::min(speed(pair.a), speed(pair.b)), ""});
        }
      }
      std::set<int> named;
      for (const Finding& finding : findings(nodes, results, settings)) {
        INFO(finding.text);
        CHECK(finding.what == (others == 16 ? Finding::What::inconclusive : Finding::What::node));
        named.insert(finding.nodes.front());
      }
      CAPTURE(others, left, slow_guests);
      CHECK(static_cast<int>(named.size()) == slow_guests);
      CHECK((named.empty() || *named.begin() == count - slow_guests));
    }
  }
}
