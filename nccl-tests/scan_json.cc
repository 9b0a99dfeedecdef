// A scan's results as JSON, to be kept and gone on from.
#include <map>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "common/error.h"
#include "nccl-tests/scan.h"
#include "nccl-tests/scan_verdict.h"

namespace slipway::bandwidth {
namespace {

using nlohmann::ordered_json;

constexpr std::string_view scan_schema = "slipway/scan/1";

}  // namespace

std::string scan_to_json(const std::vector<ScanNode>& nodes, const std::vector<PairResult>& results,
                         const ScanSettings& settings) {
  const auto name = [&](int node) { return nodes[static_cast<size_t>(node)].name; };
  ordered_json node_list = ordered_json::array(), pairs = ordered_json::array(),
               found = ordered_json::array();
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
  for (const Finding& finding : findings(nodes, results, settings)) {
    ordered_json about = ordered_json::array();
    for (const int node : finding.nodes) about.push_back(name(node));
    found.push_back({{"verdict", to_string(finding.what)},
                     {"nodes", std::move(about)},
                     {"evidence", finding.text}});
  }
  const ordered_json j = {
      {"schema", scan_schema},         {"version", SLIPWAY_VERSION},
      {"seed", settings.seed},         {"finished", next_round(nodes, results, settings).empty()},
      {"nodes", std::move(node_list)}, {"pairs", std::move(pairs)},
      {"findings", std::move(found)}};
  return j.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

std::vector<PairResult> scan_from_json(const std::string& text, const std::filesystem::path& path,
                                       const std::vector<ScanNode>& nodes) try {
  std::map<std::string, int> places;
  for (size_t i = 0; i < nodes.size(); ++i) places[nodes[i].name] = static_cast<int>(i);
  const auto j = nlohmann::json::parse(text);
  if (j.at("schema") != scan_schema) {
    throw Error(fmt::format("schema is {}, expected `{}`", j.at("schema").dump(), scan_schema));
  }
  std::vector<PairResult> results;
  for (const auto& pair : j.at("pairs")) {
    const auto a = places.find(pair.at("nodes").at(0)), b = places.find(pair.at("nodes").at(1));
    if (a == places.end() || b == places.end()) continue;
    PairResult result{.round = pair.at("round").get<int>() - 1,
                      .pair = {a->second, b->second},
                      .busbw_gb_per_s = std::nullopt,
                      .failure = pair.at("failure").is_null() ? "" : pair.at("failure")};
    if (!pair.at("busbw_gb_per_s").is_null()) result.busbw_gb_per_s = pair.at("busbw_gb_per_s");
    results.push_back(result);
  }
  return results;
} catch (const std::exception& error) {
  throw Error(fmt::format("{} is not a scan: {}", path.string(), error.what()));
}

}  // namespace slipway::bandwidth
