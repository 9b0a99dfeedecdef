// Converts findings and results to JSON and back, to pass them between processes.
#include "launcher/health/finding.h"

#include <iterator>
#include <nlohmann/json.hpp>

namespace slipway::health {

using nlohmann::json;

void CheckResults::add(CheckResults other) {
  std::move(other.checks.begin(), other.checks.end(), std::back_inserter(checks));
  std::move(other.skipped.begin(), other.skipped.end(), std::back_inserter(skipped));
  std::move(other.findings.begin(), other.findings.end(), std::back_inserter(findings));
  complete = complete && other.complete;
  counters.merge(other.counters);
  facts.merge(other.facts);
}

json to_json(const Finding& finding) {
  return {{"kind", finding.kind},   {"device", finding.device}, {"evidence", finding.evidence},
          {"check", finding.check}, {"xid", finding.xid},       {"event", finding.event}};
}

Finding finding_from_json(const json& body) {
  return {body.at("kind"),  body.at("device"), body.at("evidence"),
          body.at("check"), body.at("xid"),    body.at("event")};
}

json to_json(const CheckResults& results) {
  json findings = json::array(), skipped = json::array();
  for (const Finding& finding : results.findings) findings.push_back(to_json(finding));
  for (const Skipped& one : results.skipped) skipped.push_back({one.check, one.why});
  return {{"checks", results.checks},
          {"skipped", std::move(skipped)},
          {"findings", std::move(findings)},
          {"counters", results.counters},
          {"facts", results.facts}};
}

CheckResults results_from_json(const json& body) {
  CheckResults results;
  body.at("checks").get_to(results.checks);
  for (const json& one : body.at("skipped")) results.skipped.push_back({one.at(0), one.at(1)});
  for (const json& one : body.at("findings")) results.findings.push_back(finding_from_json(one));
  body.at("counters").get_to(results.counters);
  body.at("facts").get_to(results.facts);
  return results;
}

}  // namespace slipway::health
