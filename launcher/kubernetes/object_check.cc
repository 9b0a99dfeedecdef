// Compares an object with the schema of its kind.
#include "launcher/kubernetes/object_check.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <regex>

#include "common/text.h"
#include "launcher/kubernetes/manifest_text.h"

namespace slipway::kubernetes {
namespace {

using nlohmann::json;
using source::Code;
using source::Node;
using source::Span;

constexpr size_t longest_matched = 1000;  // std::regex recurses for each character

std::vector<std::string> keys_of(const json& properties) {
  std::vector<std::string> keys;
  for (const auto& [key, schema] : properties.items()) keys.push_back(key);
  return keys;
}

// The patterns are few and the same in many fields.
const std::regex& compiled(const std::string& pattern) {
  thread_local std::map<std::string, std::regex> all;
  const auto known = all.find(pattern);
  if (known != all.end()) return known->second;
  const bool any_case = pattern.starts_with("(?i)");
  return all
      .emplace(pattern, std::regex(any_case ? pattern.substr(4) : pattern,
                                   any_case ? std::regex::ECMAScript | std::regex::icase
                                            : std::regex::ECMAScript))
      .first->second;
}

std::string with_article(const std::string& type) {
  static const std::map<std::string, std::string> names{
      {"string", "a string"},       {"integer", "a whole number"}, {"number", "a number"},
      {"boolean", "true or false"}, {"array", "a list"},           {"object", "a mapping"}};
  const auto name = names.find(type);
  return name == names.end() ? type : name->second;
}

class ObjectCheck {
 public:
  ObjectCheck(const Object& object, const Schemas& schemas, source::Diagnostics& diagnostics)
      : object_(object), schemas_(schemas), diagnostics_(diagnostics) {}

  void run() {
    const json* schema = schemas_.find(object_.api, object_.kind);
    if (schema == nullptr) return unknown_kind();
    compare(object_.root, *schema, "", place_of(object_.root));
  }

 private:
  // Of a mapping, its first key: a caret under several lines says less.
  static Span place_of(const Node& node) {
    if (node.is_mapping() && !node.entries.empty()) return node.entries.front().key_span;
    if (node.is_sequence() && !node.items.empty()) return place_of(node.items.front());
    return node.span;
  }

  void unknown_kind() {
    const Node* api = object_.root.find("apiVersion");
    const Node* kind = object_.root.find("kind");
    if (api == nullptr || kind == nullptr) return;
    const std::vector<std::string> versions = schemas_.versions(object_.kind);
    const std::string group = object_.api.substr(0, object_.api.find('/') + 1);
    const bool same_group = std::ranges::any_of(
        versions, [&](const std::string& known) { return known.starts_with(group); });
    if (!versions.empty() && (same_group || !source::did_you_mean(object_.api, versions).empty())) {
      diagnostics_
          .warning(Code::rule_broken, api->span,
                   fmt::format("`{}` may not exist in `{}`", object_.kind, object_.api))
          .help("its fields are not checked; known: " + slipway::join(versions, ", "));
    }
    const bool our_group = std::ranges::any_of(schemas_.kinds(), [&](const std::string& known) {
      return schemas_.find(object_.api, known) != nullptr;
    });
    const std::string meant = source::did_you_mean(object_.kind, schemas_.kinds());
    if (versions.empty() && our_group && !meant.empty()) {
      diagnostics_
          .warning(Code::rule_broken, kind->span,
                   fmt::format("`{}` may not have the kind `{}`", object_.api, object_.kind))
          .help(meant);
    }
  }

  void compare(const Node& node, const json& reference, const std::string& path, Span place) {
    const json& schema = schemas_.target(reference);
    if (node.is_scalar() && (is_unknown(node.text) || node.is_null())) return;
    if (!has_type(node, schema, path, place)) return;
    if (node.is_mapping()) {
      fields(node, schema, path, place);
    } else if (node.is_sequence()) {
      items(node, schema, path, place);
    } else {
      scalar(node, schema, path);
    }
  }

  bool has_type(const Node& node, const json& schema, const std::string& path, Span place) {
    std::vector<std::string> types;
    if (schema.contains("type")) types.push_back(schema["type"].get<std::string>());
    if (schema.contains("anyOf")) {
      for (const json& one : schema["anyOf"]) types.push_back(one.at("type").get<std::string>());
    }
    if (types.empty()) return true;
    std::vector<std::string> names;
    for (const std::string& type : types) {
      if (is_of(node, type)) return true;
      names.push_back(with_article(type));
    }
    source::Diagnostic& wrong =
        diagnostics_.error(Code::type_mismatch, node.is_scalar() ? node.span : place,
                           fmt::format("`{}` of this {} must be {}, not {}", path, object_.kind,
                                       slipway::join(names, " or "), described(node)));
    const bool wants_text = std::ranges::find(types, "string") != types.end();
    if (wants_text && node.is_scalar()) wrong.help(fmt::format("write \"{}\"", node.text));
    if (!wants_text && node.is_scalar() && node.style != source::Style::plain) {
      Node plain = node;
      plain.style = source::Style::plain;
      if (is_of(plain, types.front())) wrong.help("write it without quotes");
    }
    return false;
  }

  static std::string described(const Node& node) {
    if (!node.is_scalar()) return std::string(describe(node));
    const source::Scalar value = source::resolve(node);
    if (std::holds_alternative<std::string>(value)) return "the string `" + node.text + "`";
    return fmt::format("`{}`", node.text);
  }

  static bool is_of(const Node& node, const std::string& type) {
    if (type == "object") return node.is_mapping();
    if (type == "array") return node.is_sequence();
    if (!node.is_scalar()) return false;
    const source::Scalar value = source::resolve(node);
    if (type == "string") return std::holds_alternative<std::string>(value);
    if (type == "boolean") return std::holds_alternative<bool>(value) || is_old_boolean(node);
    const auto* number = std::get_if<long double>(&value);
    return number != nullptr && (type == "number" || *number == std::floor(*number));
  }

  // YAML 1.1, which Kubernetes reads.
  static bool is_old_boolean(const Node& node) {
    static const std::vector<std::string> words{"yes", "Yes", "YES", "no",  "No",  "NO",
                                                "on",  "On",  "ON",  "off", "Off", "OFF"};
    return node.style == source::Style::plain && std::ranges::find(words, node.text) != words.end();
  }

  void fields(const Node& node, const json& schema, const std::string& path, Span place) {
    const auto known = schema.find("properties");
    const auto rest = schema.find("additionalProperties");
    for (const source::Entry& entry : node.entries) {
      const std::string at = path.empty() ? entry.key : path + "." + entry.key;
      if (is_unknown(entry.key)) continue;
      if (known != schema.end() && known->contains(entry.key)) {
        compare(entry.value, known->at(entry.key), at, entry.key_span);
      } else if (rest != schema.end() && rest->is_object()) {
        compare(entry.value, *rest, at, entry.key_span);
      } else if (rest != schema.end() && *rest == false) {
        unknown_field(entry, schema, path);
      }
    }
    if (!object_.open) missing_fields(node, schema, path, place);
    limit(schema, "maxProperties", node.entries.size(), "entries", path, place);
  }

  void missing_fields(const Node& node, const json& schema, const std::string& path, Span place) {
    if (!schema.contains("required")) return;
    for (const json& name : schema["required"]) {
      const auto field = name.get<std::string>();
      const Node* value = node.find(field);
      if (value != nullptr && !value->is_null()) continue;
      const bool masked = std::ranges::any_of(
          node.entries, [](const source::Entry& entry) { return is_unknown(entry.key); });
      if (masked) continue;
      diagnostics_.error(Code::missing_key, place,
                         fmt::format("this {} needs `{}`", object_.kind,
                                     path.empty() ? field : path + "." + field));
    }
  }

  void unknown_field(const source::Entry& entry, const json& schema, const std::string& path) {
    const std::string name = path.empty() ? entry.key : path + "." + entry.key;
    const std::string message = fmt::format("a {} has no field `{}`", object_.kind, name);
    const auto properties = schema.find("properties");
    std::vector<std::string> known;
    if (properties != schema.end()) known = keys_of(*properties);
    const std::string meant = source::did_you_mean(entry.key, known);
    if (!meant.empty()) {
      diagnostics_.error(Code::unknown_key, entry.key_span, message).help(meant);
      return;
    }
    source::Diagnostic& warning =
        diagnostics_.warning(Code::rule_broken, entry.key_span, message + ": it has no effect");
    for (const std::string& one : known) {
      const json& inner = schemas_.target(properties->at(one));
      if (inner.contains("properties") && inner["properties"].contains(entry.key)) {
        warning.help(fmt::format("did you mean `{}` of `{}`?", entry.key, one));
      }
    }
    other_versions(name, warning);
    if (warning.helps.empty()) warning.help("it has " + slipway::join(known, ", "));
  }

  // Says in which other versions of the kind a field exists, if it is not inside a list.
  void other_versions(const std::string& path, source::Diagnostic& warning) const {
    for (const std::string& version : schemas_.versions(object_.kind)) {
      const json* schema = schemas_.find(version, object_.kind);
      for (const std::string& step : slipway::split(path, '.')) {
        if (schema == nullptr) break;
        const auto properties = schemas_.target(*schema).find("properties");
        const bool has = properties != schemas_.target(*schema).end() && properties->contains(step);
        schema = has ? &properties->at(step) : nullptr;
      }
      if (schema != nullptr) warning.help(fmt::format("`{}` has this field", version));
    }
  }

  void items(const Node& node, const json& schema, const std::string& path, Span place) {
    const auto element = schema.find("items");
    for (size_t i = 0; i < node.items.size() && element != schema.end(); ++i) {
      compare(node.items[i], *element, fmt::format("{}[{}]", path, i), place_of(node.items[i]));
    }
    limit(schema, "maxItems", node.items.size(), "entries", path, place);
    if (!object_.open && schema.contains("minItems") &&
        node.items.size() < schema["minItems"].get<size_t>()) {
      diagnostics_.error(Code::rule_broken, place,
                         fmt::format("`{}` of this {} needs at least {}", path, object_.kind,
                                     schema["minItems"].get<size_t>()));
    }
    if (schema.contains("unique")) unique(node, schema["unique"].get<std::string>(), path);
  }

  // Lists that the API server keeps by a key.
  void unique(const Node& node, const std::string& key, const std::string& path) {
    std::map<std::string, Span> seen;
    for (const Node& item : node.items) {
      const Node* value = item.find(key);
      if (object_.open || value == nullptr || !value->is_scalar() || is_unknown(value->text))
        continue;
      const auto [first, is_new] = seen.try_emplace(value->text, value->span);
      if (is_new) continue;
      diagnostics_
          .error(Code::rule_broken, value->span,
                 fmt::format("`{}` of this {} has two entries with the {} `{}`", path, object_.kind,
                             key, value->text))
          .other(first->second, "the first");
    }
  }

  void limit(const json& schema, const char* name, size_t size, std::string_view what,
             const std::string& path, Span place) {
    if (!schema.contains(name) || size <= schema[name].get<size_t>()) return;
    diagnostics_.error(Code::rule_broken, place,
                       fmt::format("`{}` of this {} has {} {}, but at most {} are allowed", path,
                                   object_.kind, size, what, schema[name].get<size_t>()));
  }

  void scalar(const Node& node, const json& schema, const std::string& path) {
    const std::string refused =
        fmt::format("`{}` of this {} cannot be `{}`", path, object_.kind, node.text);
    if (schema.contains("enum")) {
      const auto values = schema["enum"].get<std::vector<std::string>>();
      if (std::ranges::find(values, node.text) == values.end()) {
        diagnostics_.error(Code::rule_broken, node.span, refused).help_choose(node.text, values);
      }
    }
    const source::Scalar value = source::resolve(node);
    if (const auto* number = std::get_if<long double>(&value)) {
      range(node, schema, *number, refused);
    } else if (std::holds_alternative<std::string>(value)) {
      text(node, schema, refused);
    }
  }

  void range(const Node& node, const json& schema, long double number, const std::string& refused) {
    const auto wrong = [&](const char* bound, std::string_view how) {
      diagnostics_.error(Code::rule_broken, node.span, refused)
          .help(fmt::format("it must be at {} {}", how, schema[bound].dump()));
    };
    if (schema.contains("minimum") && number < schema["minimum"].get<long double>()) {
      wrong("minimum", "least");
    }
    if (schema.contains("maximum") && number > schema["maximum"].get<long double>()) {
      wrong("maximum", "most");
    }
  }

  void text(const Node& node, const json& schema, const std::string& refused) {
    const size_t length = node.text.size();
    std::string rule;
    if (schema.contains("minLength") && length < schema["minLength"].get<size_t>()) {
      rule = "it must not be empty";
    } else if (schema.contains("maxLength") && length > schema["maxLength"].get<size_t>()) {
      rule = fmt::format("it must have at most {} characters", schema["maxLength"].dump());
    } else if (schema.contains("pattern") && length <= longest_matched) {
      const auto pattern = schema["pattern"].get<std::string>();
      if (!std::regex_search(node.text, compiled(pattern))) {
        rule = schema.value("help", "it must match " + pattern);
      }
    }
    if (!rule.empty()) diagnostics_.error(Code::rule_broken, node.span, refused).help(rule);
  }

  const Object& object_;
  const Schemas& schemas_;
  source::Diagnostics& diagnostics_;
};

}  // namespace

void check_object(const Object& object, const Schemas& schemas, source::Diagnostics& diagnostics) {
  ObjectCheck(object, schemas, diagnostics).run();
}

}  // namespace slipway::kubernetes
