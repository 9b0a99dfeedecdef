// Decides what happens to each variable, before changing any.
#include "spank-plugins/nccl_env/resolve.h"

#include <fmt/core.h>

namespace slipway::nccl_env {
namespace {

// The only list of folders among the variables: our folder is one part of the task's list.
constexpr std::string_view folder_list = "LD_LIBRARY_PATH";

std::optional<std::string> find(const Environment& environment, const std::string& name) {
  const auto it = environment.find(name);
  if (it == environment.end()) return std::nullopt;
  return it->second;
}

// The list without our folder at its start.
std::string without_folder(const std::string& list, const std::string& folder) {
  if (list == folder) return "";
  return list.starts_with(folder + ":") ? list.substr(folder.size() + 1) : list;
}

Decision decide(const Advice& advice, const std::optional<std::string>& present,
                const std::optional<std::string>& ours) {
  const std::string advised =
      fmt::format("{} has `{}`: {}", advice.source, advice.value, advice.why);
  if (present == advice.value && present != ours) {
    return {advice.name, Action::keep, present, "user", "same as the " + advice.source, "", ""};
  }
  if (present && present != ours) {
    return {advice.name,  Action::keep, present, "user", "differs: the " + advised,
            advice.value, advice.why};
  }
  if (!present && ours) {
    return {advice.name,  Action::keep, std::nullopt, "user", "removed; the " + advised,
            advice.value, advice.why};
  }
  return {advice.name, Action::set, advice.value, "slipway: " + advice.source, advice.why, "", ""};
}

// Puts our folder before the user's list: with a list, neither has to win.
Decision prepend(const Advice& advice, const std::optional<std::string>& present,
                 const std::optional<std::string>& ours) {
  const std::string users = present ? without_folder(*present, ours.value_or("")) : "";
  const std::string list =
      users.empty() ? advice.value : advice.value + ":" + without_folder(users, advice.value);
  return {advice.name, Action::set, list, "slipway: " + advice.source, advice.why, "", ""};
}

}  // namespace

Resolution resolve(const std::vector<Advice>& advised, const std::string& transport,
                   const Environment& environment) {
  const Environment ours_before = read_marker(environment);
  Environment ours;
  Resolution resolution;
  for (const Advice& advice : advised) {
    const auto before = find(ours_before, advice.name);
    const auto present = find(environment, advice.name);
    Decision decision =
        advice.prepend ? prepend(advice, present, before) : decide(advice, present, before);
    // What the user removed stays in the marker; otherwise a nested step would set it again.
    const bool removed = decision.action == Action::keep && !decision.value;
    if (decision.action == Action::set || removed) ours.emplace(advice.name, advice.value);
    resolution.decisions.push_back(std::move(decision));
  }
  for (Decision& decision : take_back(environment).decisions) {
    if (ours.contains(decision.name)) continue;
    decision.why =
        fmt::format("came from another node; transport `{}` has no such variable", transport);
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
    if (name == folder_list && present) {
      const std::string users = without_folder(*present, value);
      if (users.empty()) {
        resolution.decisions.push_back(
            {name, Action::unset, std::nullopt, "slipway", "no longer set", "", ""});
      } else if (users != *present) {
        resolution.decisions.push_back(
            {name, Action::set, users, "user", "our folder removed", "", ""});
      }
    } else if (present == value) {
      resolution.decisions.push_back(
          {name, Action::unset, std::nullopt, "slipway", "no longer set", "", ""});
    } else if (!present) {
      removed.emplace(name, value);
    }
  }
  if (!removed.empty()) resolution.marker = write_marker(removed);
  return resolution;
}

Environment users_own(const Environment& environment) {
  const Environment ours = read_marker(environment);
  Environment own;
  for (const auto& [name, value] : environment) {
    if (name.starts_with("NCCL_") && find(ours, name) != value) own.emplace(name, value);
  }
  return own;
}

}  // namespace slipway::nccl_env
