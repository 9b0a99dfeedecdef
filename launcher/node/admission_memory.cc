// What the service that admits nodes keeps in a file, and what a scan of pairs says.
#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/file.h"
#include "common/json.h"
#include "launcher/node/admission.h"

namespace slipway::node {
namespace {

using nlohmann::json;

constexpr size_t largest_memory = size_t{16} << 20;

void add_evidence(const JsonValue& finding, const std::set<std::string>& checked,
                  std::map<std::string, std::string>& slow) {
  for (const std::string& node : finding.at("nodes").texts()) {
    slow.emplace(node, finding.at("evidence").text());
  }
  // A finding about a pair blames its new node.
  if (finding.at("verdict").text() == "node") return;
  std::erase_if(slow, [&](const auto& one) { return !checked.contains(one.first); });
}

}  // namespace

AdmissionMemory load_admission_memory(const std::string& file) {
  try {
    const json body = parse_json(read_regular_file(file, largest_memory));
    AdmissionMemory memory;
    for (const auto& [job, check] : body.at("checks").items()) {
      memory.checks[job] = {check.at("partition"), check.at("nodes"), check.at("partners"),
                            check.at("submitted")};
    }
    for (const auto& [node, attempts] : body.at("attempts").items()) {
      memory.attempts[node] = {attempts.at(0), attempts.at(1)};
    }
    memory.reserved = body.at("reserved");
    memory.waiting = body.at("waiting");
    return memory;
  } catch (const Error&) {
    return {};
  } catch (const json::exception&) {
    return {};
  }
}

void save_admission_memory(const std::string& file, const AdmissionMemory& memory) {
  json checks = json::object(), attempts = json::object();
  for (const auto& [job, check] : memory.checks) {
    checks[job] = {{"partition", check.partition},
                   {"nodes", check.nodes},
                   {"partners", check.partners},
                   {"submitted", check.submitted}};
  }
  for (const auto& [node, tried] : memory.attempts) attempts[node] = {tried.count, tried.next};
  const json body = {{"checks", std::move(checks)},
                     {"attempts", std::move(attempts)},
                     {"reserved", memory.reserved},
                     {"waiting", memory.waiting}};
  write_file(file, body.dump(1) + "\n", 0600);
}

PairVerdict judge_scan(std::string_view scan, const std::set<std::string>& checked) {
  const json body = parse_json(scan);
  PairVerdict verdict;
  // Slower than the machine type's figure: with one partner, which serves, it is the new node.
  const bool is_pair_with_partner =
      checked.size() == 1 && JsonValue(body).at("nodes").items().size() == 2;
  for (const JsonValue& finding : JsonValue(body).at("findings").items()) {
    const std::string what = finding.at("verdict").text();
    if (what == "node" || what == "inconclusive" || what == "link") {
      std::map<std::string, std::string> slow;
      add_evidence(finding, checked, slow);
      verdict.slow.merge(slow);
    } else if (what == "cluster" && is_pair_with_partner) {
      verdict.slow.emplace(*checked.begin(), finding.at("evidence").text());
    } else if (what == "too noisy" || what == "cluster") {
      verdict.not_judged = finding.at("evidence").text();
    }
  }
  if (const auto lost = JsonValue(body).find("lost")) {
    for (const JsonValue& one : lost->items()) {
      const std::string node = one.at("node").text();
      if (checked.contains(node)) verdict.slow.emplace(node, one.at("why").text());
    }
  }
  return verdict;
}

}  // namespace slipway::node
