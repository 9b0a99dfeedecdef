// Loads the health policy, and resolves the meaning of Xids.
#include "launcher/health/policy.h"

#include <fmt/core.h>

#include <array>

#include "launcher/health/policy_reader.h"
#include "launcher/health/prepared_policy.h"

namespace slipway::health {
namespace {

constexpr std::array<std::string_view, 6> action_names = {"none",  "note",   "degrade",
                                                          "drain", "reboot", "replace"};

void read_over(Policy& policy, source::Span text, bool is_first, source::Sources& sources,
               source::Diagnostics& diagnostics) {
  const auto root = read_yaml(text, sources, diagnostics);
  if (root) PolicyReader(policy, diagnostics, is_first).read(*root);
}

bool has_key(const std::string& text, std::string_view key) {
  source::Sources sources;
  source::Diagnostics diagnostics(sources);
  const auto root = read_yaml(sources.add("health.yaml", text), sources, diagnostics);
  return root && root->find(key) != nullptr;
}

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
  XidMeaning meaning{{Action::note, {}, {}}, "", "no source lists it"};
  const auto found = xids.find(xid);
  if (found == xids.end()) return meaning;
  const XidRow& row = found->second;
  meaning.name = row.name;
  meaning.rule.escalation = row.escalation;
  if (row.own) {
    meaning.rule.action = *row.own;
    meaning.who = "site policy";
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

Policy read_policy(source::Span text, source::Sources& sources, source::Diagnostics& diagnostics) {
  Policy policy;
  read_over(policy, text, true, sources, diagnostics);
  return policy;
}

Policy load_policy(const std::filesystem::path& folder, source::Span own, source::Sources& sources,
                   source::Diagnostics& diagnostics) {
  const source::Span text = sources.add_file(folder / "health.yaml");
  auto prepared = read_prepared_policy(folder, sources.text(text));
  Policy policy = prepared ? std::move(*prepared) : read_policy(text, sources, diagnostics);
  if (own) read_over(policy, own, false, sources, diagnostics);
  return policy;
}

bool policy_tells(const std::string& text) {
  return has_key(text, "tell");
}

bool policy_checks_deeply(const std::string& text) {
  return has_key(text, "deep_checks");
}

std::string usual_policy_files() {
  return fmt::format("{}, else {}", own_policy_path, cluster_policy_path);
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
