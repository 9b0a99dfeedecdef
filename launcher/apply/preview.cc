// Previews what a deploy would change in all groups.
#include "launcher/apply/preview.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "common/error.h"
#include "launcher/apply/compare.h"
#include "launcher/apply/inputs.h"
#include "launcher/apply/planned.h"
#include "launcher/apply/terraform.h"

namespace slipway::apply {
namespace {

using google::GroupSteps;

// A caveat about changes that the definitions do not show.
std::string note_on(const GroupState& state, bool by_hand) {
  if (state.state == State::applying || state.state == State::failed) {
    return "its last deploy was interrupted: some of this may already exist";
  }
  if (state.state == State::destroying) return "its destruction was interrupted";
  if (by_hand) {
    return "it has a Terraform state that `slipway deploy` did not write and does not compare";
  }
  return {};
}

GroupChanges by_definitions(const Folder& now, const Folder* deployed, const GroupSteps& group,
                            const ReplacementRules& rules) {
  const GroupDefinitions after = read_definitions(now, group);
  if (deployed == nullptr) return compare(nullptr, &after);
  const auto before = read_applied(*deployed, group.name);
  const bool same_kind = before && before->kind == group.kind;
  GroupChanges changes = compare(same_kind ? &*before : nullptr, &after, rules);
  std::error_code ignored;
  const bool state =
      std::filesystem::exists(deployed->group(group.name) / "terraform.tfstate", ignored);
  const GroupState known = Journal(*deployed).known(group.name);
  changes.note = note_on(known, state && !known.may_exist());
  return changes;
}

// Whether all inputs of the group are available.
bool has_inputs(const Session& session, const GroupSteps& group) {
  for (const GroupSteps::Input& input : group.inputs) {
    const GroupState from = session.journal.known(input.from_group);
    if (from.state != State::applied) return false;
  }
  return true;
}

const char* origin(const GroupChanges& group) {
  return group.from == GroupChanges::From::terraform ? "from Terraform's plan"
                                                     : "from the definitions";
}

}  // namespace

std::vector<GroupChanges> preview(const Folder& now, const Folder* deployed,
                                  const ReplacementRules& rules) {
  std::vector<GroupChanges> all;
  for (const GroupSteps& group : now.recorded.groups) {
    all.push_back(by_definitions(now, deployed, group, rules));
  }
  if (deployed == nullptr) return all;
  const Journal journal(*deployed);
  for (const auto& [name, state] : journal.groups()) {
    const auto before = state.may_exist() ? read_applied(*deployed, name) : std::nullopt;
    if (!before || now.find(name) != nullptr) continue;
    all.push_back(compare(&*before, nullptr));
    all.back().note = "this group is no longer in the blueprint";
  }
  return all;
}

std::vector<GroupChanges> preview_with_terraform(Session& session, const ReplacementRules& rules) {
  std::vector<GroupChanges> all = preview(session.folder, &session.folder, rules);
  Outputs outputs(session);
  for (GroupChanges& changes : all) {
    const GroupSteps* group = session.folder.find(changes.group);
    if (group == nullptr || group->kind != "terraform" || !has_inputs(session, *group)) continue;
    write_inputs(session.folder, *group, inputs_of(*group, outputs));
    Terraform terraform(session, *group);
    terraform.init();
    const auto plan = terraform.plan(Terraform::Purpose::apply);
    terraform.drop_plan();
    const auto before = read_applied(session.folder, group->name);
    changes = planned(plan ? *plan : Json::object(), read_definitions(session.folder, *group),
                      before ? &*before : nullptr);
  }
  return all;
}

std::string to_text(const std::vector<GroupChanges>& groups) {
  std::string out;
  bool some_by_definitions = false;
  for (const GroupChanges& group : groups) {
    some_by_definitions |= group.from == GroupChanges::From::definitions;
    out += fmt::format("group {} ({}, {}): {}\n", group.group, group.kind, origin(group),
                       summary(group));
    if (!group.note.empty()) out += fmt::format("  note: {}\n", group.note);
    out += to_text(group);
  }
  if (some_by_definitions) {
    out +=
        "From the definitions: compares them with those last deployed, without querying the "
        "cloud. What\nsomebody changed there and new inputs of later groups are not known; "
        "--terraform asks.\n";
  }
  return out;
}

nlohmann::ordered_json to_json(const std::string& deployment,
                               const std::vector<GroupChanges>& groups) {
  Json out{{"schema", "slipway/plan/1"}, {"deployment", deployment}, {"groups", Json::array()}};
  for (const GroupChanges& group : groups) out["groups"].push_back(to_json(group));
  return out;
}

}  // namespace slipway::apply
