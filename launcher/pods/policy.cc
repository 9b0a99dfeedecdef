// What JobSet does when a pod has failed.
#include "launcher/pods/policy.h"

#include <algorithm>

namespace slipway::pods {

std::string reason_of_failure(const JobSet& set, const std::string& container, int64_t code) {
  for (const ExitRule& rule : set.exit_rules) {
    const bool named = std::ranges::find(rule.codes, code) != rule.codes.end();
    if (named != rule.in || (!rule.container.empty() && rule.container != container)) continue;
    if (rule.action == "Ignore") return "";
    if (rule.action == "FailJob") return "PodFailurePolicy";
    break;  // Count
  }
  return "BackoffLimitExceeded";
}

Decision decide(const JobSet& set, const std::string& reason, int64_t restarts) {
  const bool left = restarts < set.max_restarts;
  for (const FailureRule& rule : set.failure_rules) {
    const bool any = rule.reasons.empty();
    if (!any && std::ranges::find(rule.reasons, reason) == rule.reasons.end()) continue;
    if (rule.action == "FailJobSet") return {false, true, rule.name};
    const bool ignores = rule.action.ends_with("AndIgnoreMaxRestarts");
    return {ignores || left, !ignores, rule.name};
  }
  return {left, true, ""};
}

}  // namespace slipway::pods
