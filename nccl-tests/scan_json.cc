// Writes a scan's results as JSON, and reads them back to resume a scan.
#include <array>
#include <map>
#include <set>

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/json.h"
#include "nccl-tests/scan.h"
#include "nccl-tests/scan_verdict.h"

namespace slipway::bandwidth {
namespace {

using nlohmann::ordered_json;

constexpr std::string_view scan_schema = "slipway/scan/1";

constexpr int most_rounds = 10'000;
// Limits of a valid bandwidth: 0 would be a failure, and nothing is faster than 1 PB/s.
constexpr double slowest_gb_per_s = 1e-9, fastest_gb_per_s = 1e6;

std::set<std::string> node_names(const JsonValue& list) {
  std::set<std::string> names;
  for (const JsonValue& node : list.items()) {
    const JsonValue name = node.at("name");
    if (!names.insert(name.text()).second) name.expected("each node once");
  }
  return names;
}

std::array<std::string, 2> names_from(const JsonValue& pair, const std::set<std::string>& known) {
  const std::vector<JsonValue> both = pair.items();
  if (both.size() != 2) pair.expected("two nodes");
  for (const JsonValue& one : both) {
    if (!known.contains(one.text())) one.expected("a name from `nodes`");
  }
  if (both[0].text() == both[1].text()) both[1].expected("a different node from the first");
  return {both[0].text(), both[1].text()};
}

// Everything except the nodes of a pair.
PairResult result_from(const JsonValue& pair) {
  const JsonValue busbw = pair.at("busbw_gb_per_s"), failure = pair.at("failure");
  PairResult result;
  result.round = static_cast<int>(pair.at("round").whole(1, most_rounds)) - 1;
  if (busbw.is_null() == failure.is_null()) {
    busbw.expected(busbw.is_null() ? "a bandwidth, since `failure` is null"
                                   : "null, since there is a `failure`");
  }
  if (!busbw.is_null()) result.busbw_gb_per_s = busbw.number(slowest_gb_per_s, fastest_gb_per_s);
  if (!failure.is_null()) result.failure = failure.text();
  return result;
}

// What was measured below pairs, and what it explains.
void add_levels(ordered_json& j, const std::vector<ScanNode>& nodes, const ScanSettings& settings) {
  const auto name = [&](int node) { return nodes[static_cast<size_t>(node)].name; };
  const ExaminedNodes& examined = *settings.examined;
  ordered_json levels = ordered_json::array(), why = ordered_json::array();
  for (const NodeLevel& level : examined.levels) {
    levels.push_back({{"node", name(level.node)},
                      {"part", level.part},
                      {"does", level.does},
                      {"gb_per_s", level.gb_per_s ? ordered_json(*level.gb_per_s) : ordered_json()},
                      {"why", level.why.empty() ? ordered_json() : ordered_json(level.why)},
                      {"asked", level.was_asked}});
  }
  for (const int node : examined.named) {
    why.push_back({{"node", name(node)},
                   {"because", explain(node, examined.levels, examined.healthy, settings.detect)}});
  }
  j["levels"] = std::move(levels);
  j["explanations"] = std::move(why);
}

// What the GPUs did under load.
ordered_json burn_to_json(const ScanBurn& burn, const std::vector<ScanNode>& nodes) {
  ordered_json list = ordered_json::array();
  for (const NodeBurn& node : burn.nodes) {
    list.push_back({{"node", nodes[static_cast<size_t>(node.node)].name},
                    {"missing", node.missing.empty() ? ordered_json() : ordered_json(node.missing)},
                    {"gpus", ordered_json::parse(to_text(node.gpus))}});
  }
  return {{"seconds", burn.seconds}, {"nodes", std::move(list)}};
}

}  // namespace

std::string scan_to_json(const std::vector<ScanNode>& nodes, const std::vector<PairResult>& results,
                         const ScanSettings& settings) {
  const auto name = [&](int node) { return nodes[static_cast<size_t>(node)].name; };
  ordered_json node_list = ordered_json::array(), pairs = ordered_json::array(),
               found = ordered_json::array(), lost = ordered_json::array();
  for (const ScanNode& node : nodes)
    node_list.push_back({{"name", node.name}, {"block", node.block}});
  for (const PairResult& result : results) {
    pairs.push_back(
        {{"round", result.round + 1},
         {"nodes", {name(result.pair.a), name(result.pair.b)}},
         {"busbw_gb_per_s",
          result.busbw_gb_per_s ? ordered_json(*result.busbw_gb_per_s) : ordered_json()},
         {"failure", result.failure.empty() ? ordered_json() : ordered_json(result.failure)}});
  }
  for (const auto& [node, why] : settings.lost)
    lost.push_back({{"node", name(node)}, {"why", why}});
  for (const Finding& finding : findings(nodes, results, settings)) {
    ordered_json about = ordered_json::array();
    for (const int node : finding.nodes) about.push_back(name(node));
    found.push_back({{"verdict", to_string(finding.what)},
                     {"nodes", std::move(about)},
                     {"evidence", finding.text}});
  }
  ordered_json j = {
      {"schema", scan_schema},         {"version", SLIPWAY_VERSION},
      {"seed", settings.seed},         {"finished", next_round(nodes, results, settings).empty()},
      {"nodes", std::move(node_list)}, {"pairs", std::move(pairs)},
      {"lost", std::move(lost)},       {"findings", std::move(found)}};
  if (settings.examined) add_levels(j, nodes, settings);
  if (settings.burned) j["burn"] = burn_to_json(*settings.burned, nodes);
  return j.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

std::vector<PairResult> scan_from_json(const std::string& text, const std::filesystem::path& path,
                                       const std::vector<ScanNode>& nodes) try {
  const auto body = parse_json(text);
  const JsonValue j(body);
  const std::string schema = j.at("schema").text();
  if (schema != scan_schema) {
    throw Error(fmt::format("schema is `{}`, expected `{}`", schema, scan_schema));
  }
  const std::set<std::string> known = node_names(j.at("nodes"));
  std::map<std::string, int> places;
  for (size_t i = 0; i < nodes.size(); ++i) places[nodes[i].name] = static_cast<int>(i);
  std::vector<PairResult> results;
  std::set<std::pair<int, std::string>> seen;  // rounds, and the nodes that were in them
  for (const JsonValue& pair : j.at("pairs").items()) {
    PairResult result = result_from(pair);
    const std::array<std::string, 2> names = names_from(pair.at("nodes"), known);
    for (const std::string& name : names) {
      if (seen.emplace(result.round, name).second) continue;
      pair.at("nodes").expected(fmt::format(
          "two nodes that are in no other pair of round {}, and `{}` is", result.round + 1, name));
    }
    const auto a = places.find(names[0]), b = places.find(names[1]);
    if (a == places.end() || b == places.end()) continue;  // the node is not in this scan
    result.pair = {a->second, b->second};
    results.push_back(std::move(result));
  }
  return results;
} catch (const Error& error) {
  throw error.within(fmt::format("{} is not a scan", path.string()));
}

}  // namespace slipway::bandwidth
