// What findings mean.
#include "launcher/health/policy.h"

#include <fmt/format.h>

#include <array>

#include "launcher/health/policy_reader.h"

namespace slipway::health {
namespace {

constexpr std::array<std::string_view, 6> action_names = {"none",  "note",   "degrade",
                                                          "drain", "reboot", "replace"};

}  // namespace

std::string_view name_of(Action action) {
  return action_names.at(static_cast<size_t>(action));
}

std::optional<Action> action_named(std::string_view name) {
  for (size_t i = 0; i < action_names.size(); ++i) {
    if (action_names[i] == name) return static_cast<Action>(i);
  }
  return std::nullopt;
}

Policy::XidMeaning Policy::meaning_of_xid(int xid) const {
  XidMeaning meaning{{Action::note, {}, {}}, "", "nobody says"};
  const auto found = xids.find(xid);
  if (found == xids.end()) return meaning;
  const XidRow& row = found->second;
  meaning.name = row.name;
  meaning.rule.escalation = row.escalation;
  if (row.own) {
    meaning.rule.action = *row.own;
    meaning.who = "own policy";
    return meaning;
  }
  for (const std::string& source : presets.at(preset)) {
    const auto word = row.says.find(source);
    if (word == row.says.end()) continue;
    meaning.rule.action = xid_sources.at(source).means.at(word->second);
    meaning.who = fmt::format("{}: {}", source, word->second);
    break;
  }
  return meaning;
}

Policy load_policy(const std::filesystem::path& folder, source::Span own, source::Sources& sources,
                   source::Diagnostics& diagnostics) {
  Policy policy;
  const auto read = [&](source::Span text, bool is_first) {
    const auto root = read_yaml(text, sources, diagnostics);
    if (root) PolicyReader(policy, diagnostics, is_first).read(*root);
  };
  read(sources.add_file(folder / "health.yaml"), true);
  if (own) read(own, false);
  return policy;
}

Policy load_policy_file(const std::filesystem::path& folder, const std::filesystem::path& own,
                        source::Sources& sources, source::Diagnostics& diagnostics) {
  std::filesystem::path file = own;
  for (const char* path : {own_policy_path, cluster_policy_path}) {
    if (file.empty() && std::filesystem::exists(path)) file = path;
  }
  const source::Span text = file.empty() ? source::Span() : sources.add_file(file);
  return load_policy(folder, text, sources, diagnostics);
}

}  // namespace slipway::health
