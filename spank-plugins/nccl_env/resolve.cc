// What becomes of each variable, decided before anything is touched.
#include "spank-plugins/nccl_env/resolve.h"

#include <set>

#include <fmt/format.h>

namespace slipway::nccl_env {
namespace {

// A value that somebody advises. Sources come in the order in which they count: of two that name
// the same variable, the first does.
struct Advice {
  std::string name;
  std::string value;
  std::string source;  // "transport"
  std::string why;
};

std::vector<Advice> advice_of(const NodeProfile& profile) {
  std::vector<Advice> advice;
  std::set<std::string> seen;
  for (const NodeProfile::Variable& variable : profile.transport.environment) {
    if (!seen.insert(variable.name).second) continue;
    advice.push_back({variable.name, variable.value, "transport", variable.why});
  }
  return advice;
}

std::optional<std::string> find(const Environment& environment, const std::string& name) {
  const auto it = environment.find(name);
  if (it == environment.end()) return std::nullopt;
  return it->second;
}

Decision decide(const Advice& advice, const std::optional<std::string>& present,
                const std::optional<std::string>& ours) {
  const std::string advised =
      fmt::format("{} has `{}`: {}", advice.source, advice.value, advice.why);
  if (present && present != ours) {
    return {advice.name, Action::keep, present, "user",
            *present == advice.value ? "same as the " + advice.source : "the " + advised};
  }
  if (!present && ours) {
    return {advice.name, Action::keep, std::nullopt, "user", "removed; the " + advised};
  }
  return {advice.name, Action::set, advice.value, "slipway: " + advice.source, advice.why};
}

}  // namespace

Resolution resolve(const NodeProfile& profile, const Environment& environment) {
  const Environment ours_before = read_marker(environment);
  Environment ours;
  Resolution resolution;
  for (const Advice& advice : advice_of(profile)) {
    const auto before = find(ours_before, advice.name);
    Decision decision = decide(advice, find(environment, advice.name), before);
    // What the user removed stays in the marker: else a step within this one would set it again.
    const bool removed = decision.action == Action::keep && !decision.value;
    if (decision.action == Action::set || removed) ours.emplace(advice.name, advice.value);
    resolution.decisions.push_back(std::move(decision));
  }
  for (Decision& decision : take_back(environment).decisions) {
    if (ours.contains(decision.name)) continue;
    decision.why = fmt::format("came from another node; transport `{}` has no such variable",
                               profile.transport.name);
    resolution.decisions.push_back(std::move(decision));
  }
  if (!ours.empty()) resolution.marker = write_marker(ours);
  return resolution;
}

Resolution take_back(const Environment& environment) {
  Resolution resolution;
  Environment removed;
  for (const auto& [name, value] : read_marker(environment)) {
    const auto present = find(environment, name);
    if (present == value) {
      resolution.decisions.push_back({name, Action::unset, std::nullopt, "slipway", "taken back"});
    } else if (!present) {
      removed.emplace(name, value);
    }
  }
  if (!removed.empty()) resolution.marker = write_marker(removed);
  return resolution;
}

}  // namespace slipway::nccl_env
