// Reads the changes in Terraform's plan.
#include "launcher/apply/planned.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "common/error.h"
#include "common/text.h"

namespace slipway::apply {
namespace {

// Converts the actions of
// https://developer.hashicorp.com/terraform/internals/json-format#change-representation; nothing
// for reads and no-ops.
std::optional<Action> action_of(const Json& actions) {
  const auto names = actions.get<std::vector<std::string>>();
  if (names.size() == 2) return Action::replace;
  if (names.empty()) return std::nullopt;
  if (names[0] == "create") return Action::create;
  if (names[0] == "update") return Action::update;
  if (names[0] == "delete" || names[0] == "forget") return Action::destroy;
  return std::nullopt;
}

// `after`, with unknown values replaced by known_later.
Json with_unknown(Json after, const Json& unknown) {
  if (unknown.is_boolean()) return unknown.get<bool>() ? Json(known_later) : after;
  if (unknown.is_object()) {
    if (!after.is_object()) after = Json::object();
    for (const auto& [key, inner] : unknown.items()) {
      Json value = with_unknown(after.contains(key) ? after[key] : Json(), inner);
      if (!value.is_null()) after[key] = std::move(value);
    }
  } else if (unknown.is_array()) {
    if (!after.is_array()) after = Json::array();
    for (size_t i = 0; i < unknown.size(); ++i) {
      const Json value = with_unknown(i < after.size() ? after[i] : Json(), unknown[i]);
      if (i < after.size()) {
        after[i] = value;
      } else {
        after.push_back(value);
      }
    }
  }
  return after;
}

// "network, disk[0].size" for [["network"], ["disk", 0, "size"]]
std::string paths_text(const Json& paths) {
  std::vector<std::string> texts;
  for (const Json& path : paths) {
    std::string text;
    for (const Json& step : path) {
      if (step.is_number()) {
        text += fmt::format("[{}]", step.get<int>());
      } else {
        text += (text.empty() ? "" : ".") + step.get<std::string>();
      }
    }
    texts.push_back(text);
  }
  return join(texts, ", ");
}

Change change_of(const Json& resource, Action action) {
  const Json& change = resource.at("change");
  Change out{action, resource.at("address"), {}, {}};
  if (action == Action::update || action == Action::replace) {
    const auto marks = [&](const char* key) {
      const auto found = change.find(key);
      return found == change.end() ? nullptr : &*found;
    };
    const Json unknown = change.value("after_unknown", Json(false));
    out.attributes = differences(change.value("before", Json()),
                                 with_unknown(change.value("after", Json()), unknown),
                                 {marks("before_sensitive"), marks("after_sensitive"), false});
  }
  if (action == Action::replace) {
    out.why = paths_text(change.value("replace_paths", Json::array()));
    if (resource.value("action_reason", "") == "replace_because_tainted") {
      out.why = "an earlier failure";
    }
  }
  return out;
}

}  // namespace

GroupChanges planned(const Json& plan, const GroupDefinitions& definitions,
                     const GroupDefinitions* before) {
  GroupChanges changes{definitions.group, definitions.kind, GroupChanges::From::terraform, {}, {}};
  try {
    for (const Json& resource : plan.value("resource_changes", Json::array())) {
      const auto action = action_of(resource.at("change").at("actions"));
      if (!action) continue;
      const std::string address = resource.at("address");
      std::string module = definitions.module_of(address);
      if (module.empty() && before != nullptr) module = before->module_of(address);
      changes.modules[module].push_back(change_of(resource, *action));
    }
    // Outputs can change even if no resource does.
    const Json outputs = plan.value("output_changes", Json::object());
    for (const auto& [name, change] : outputs.items()) {
      const auto action = action_of(change.at("actions"));
      if (action) changes.modules[""].push_back({*action, "output." + name});
    }
    return changes;
  } catch (const Json::exception& error) {
    throw Error(
        fmt::format("cannot read Terraform's plan of `{}`: {}", definitions.group, error.what()));
  }
}

}  // namespace slipway::apply
