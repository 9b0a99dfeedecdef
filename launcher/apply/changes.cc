// Prints and compares changes.
#include "launcher/apply/changes.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>

#include "common/text.h"

namespace slipway::apply {
namespace {

// Attributes shown for a resource. One with more changes is mostly new.
constexpr size_t most_attributes = 12;
constexpr size_t longest_value = 60;

constexpr std::array<std::string_view, 4> signs = {"+", "~", "-/+", "-"};
constexpr std::array<std::string_view, 4> action_names = {"create", "update", "replace", "destroy"};
constexpr std::array<std::string_view, 4> to_do = {"to add", "to change", "to replace",
                                                   "to destroy"};

size_t index(Action action) {
  return static_cast<size_t>(action);
}

bool has_secret_name(std::string_view typed) {
  const std::string name = to_lower(typed);
  for (const char* word : {"password", "secret", "token", "private_key", "munge", "credential"}) {
    if (name.find(word) != std::string::npos) return true;
  }
  return false;
}

std::string shown(const Json& value) {
  if (value.is_null()) return {};
  if (value == known_later) return known_later;
  std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (text.size() <= longest_value) return text;
  if (value.is_string())
    return fmt::format("({} bytes)", value.get_ref<const std::string&>().size());
  return fmt::format("({} {})", value.size(), value.is_array() ? "elements" : "members");
}

// The marks of a part; true applies to everything in it.
const Json* part(const Json* marks, const std::string& key, size_t position) {
  if (marks == nullptr || marks->is_boolean()) return marks;
  if (marks->is_array()) return position < marks->size() ? &(*marks)[position] : nullptr;
  const auto found = marks->is_object() ? marks->find(key) : marks->end();
  return found == marks->end() ? nullptr : &*found;
}

bool marked(const Json* marks) {
  if (marks == nullptr) return false;
  if (marks->is_boolean()) return marks->get<bool>();
  return std::any_of(marks->begin(), marks->end(),
                     [](const Json& inner) { return marked(&inner); });
}

class Differ {
 public:
  std::vector<AttributeChange> found;

  void compare(const std::string& path, const Json& before, const Json& after,
               const Secrecy& secrecy) {
    if (before == after) return;
    const bool inner = (before.is_object() && after.is_object()) ||
                       (before.is_array() && after.is_array() && before.size() == after.size());
    if (inner && before.is_object()) {
      std::set<std::string> keys;
      for (const auto& [key, value] : before.items()) keys.insert(key);
      for (const auto& [key, value] : after.items()) keys.insert(key);
      for (const std::string& key : keys) {
        Secrecy within{part(secrecy.before, key, 0), part(secrecy.after, key, 0), secrecy.by_name};
        static const Json always(true);
        if (secrecy.by_name && has_secret_name(key)) within.before = within.after = &always;
        compare(path.empty() ? key : path + "." + key, member(before, key), member(after, key),
                within);
      }
      return;
    }
    if (inner) {
      for (size_t i = 0; i < before.size(); ++i) {
        compare(fmt::format("{}[{}]", path, i), before[i], after[i],
                {part(secrecy.before, "", i), part(secrecy.after, "", i), secrecy.by_name});
      }
      return;
    }
    if (marked(secrecy.before) || marked(secrecy.after)) {
      found.push_back({path, "(secret)", "(secret)"});
    } else {
      found.push_back({path, shown(before), shown(after)});
    }
  }

 private:
  static const Json& member(const Json& object, const std::string& key) {
    static const Json null;
    const auto found = object.find(key);
    return found == object.end() ? null : *found;
  }
};

std::string line_of(const AttributeChange& change) {
  if (change.before.empty()) return fmt::format("{}: {}", change.path, change.after);
  if (change.after.empty()) return fmt::format("{}: {} (removed)", change.path, change.before);
  if (change.before == change.after) return fmt::format("{}: {}", change.path, change.after);
  return fmt::format("{}: {} -> {}", change.path, change.before, change.after);
}

constexpr std::string_view output_prefix = "output.";

bool is_output(const Change& change) {
  return change.address.starts_with(output_prefix);
}

// One line per action, since there can be many outputs and they cost nothing.
std::string outputs_text(const GroupChanges& changes) {
  const auto own = changes.modules.find("");
  if (own == changes.modules.end()) return {};
  std::string out;
  for (const auto& [action, what] : {std::pair{Action::create, "new"},
                                     {Action::update, "changed"},
                                     {Action::replace, "changed"},
                                     {Action::destroy, "removed"}}) {
    std::string names;
    for (const Change& change : own->second) {
      if (change.action != action || !is_output(change)) continue;
      names += (names.empty() ? "" : ", ") + change.address.substr(output_prefix.size());
    }
    if (!names.empty()) out += fmt::format("  outputs {}: {}\n", what, names);
  }
  return out;
}

}  // namespace

size_t GroupChanges::count(Action action) const {
  size_t n = 0;
  for (const auto& [module, changes] : modules) {
    n += static_cast<size_t>(std::count_if(
        changes.begin(), changes.end(),
        [&](const Change& change) { return change.action == action && !is_output(change); }));
  }
  return n;
}

std::string summary(const GroupChanges& changes) {
  std::string out;
  for (const Action action : {Action::create, Action::update, Action::replace, Action::destroy}) {
    const size_t n = changes.count(action);
    if (n > 0) out += fmt::format("{}{} {}", out.empty() ? "" : ", ", n, to_do[index(action)]);
  }
  if (!out.empty()) return out;
  return changes.empty() ? "nothing to do" : "only outputs";
}

std::string to_text(const GroupChanges& changes) {
  std::string out = outputs_text(changes);
  for (const auto& [module, list] : changes.modules) {
    if (std::all_of(list.begin(), list.end(), is_output)) continue;
    out += module.empty() ? "  the group itself\n" : fmt::format("  module {}\n", module);
    for (const Change& change : list) {
      if (is_output(change)) continue;
      out += fmt::format("    {:>3} {}{}\n", signs[index(change.action)], change.address,
                         change.why.empty() ? "" : ", because of " + change.why);
      size_t left = most_attributes;
      for (const AttributeChange& attribute : change.attributes) {
        if (left-- == 0) {
          out += fmt::format("          and {} more\n", change.attributes.size() - most_attributes);
          break;
        }
        out += fmt::format("          {}\n", line_of(attribute));
      }
    }
  }
  return out;
}

nlohmann::ordered_json to_json(const GroupChanges& changes) {
  Json out{{"group", changes.group},
           {"kind", changes.kind},
           {"from", changes.from == GroupChanges::From::terraform ? "terraform" : "definitions"}};
  if (!changes.note.empty()) out["note"] = changes.note;
  out["changes"] = Json::array();
  for (const auto& [module, list] : changes.modules) {
    for (const Change& change : list) {
      Json entry{{"module", module.empty() ? Json() : Json(module)},
                 {"address", change.address},
                 {"action", action_names[index(change.action)]}};
      if (!change.why.empty()) entry["because_of"] = change.why;
      entry["attributes"] = Json::array();
      for (const AttributeChange& attribute : change.attributes) {
        entry["attributes"].push_back(
            {{"path", attribute.path}, {"before", attribute.before}, {"after", attribute.after}});
      }
      out["changes"].push_back(std::move(entry));
    }
  }
  return out;
}

std::vector<AttributeChange> differences(const Json& before, const Json& after,
                                         const Secrecy& secrecy) {
  Differ differ;
  differ.compare("", before, after, secrecy);
  return std::move(differ.found);
}

}  // namespace slipway::apply
