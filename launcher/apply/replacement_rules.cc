// Reads replacement.yaml, and applies a row to a resource.
#include "launcher/apply/replacement_rules.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "launcher/cluster/library_table.h"
#include "launcher/cluster/row_reader.h"
#include "launcher/source/diagnostics.h"

namespace slipway::apply {
namespace {

namespace fs = std::filesystem;
using cluster::RowReader;
using Json = nlohmann::ordered_json;

void read_rule(const source::Node& item, const std::set<std::string>& sources,
               ReplacementRules& rules, source::Diagnostics& diagnostics) {
  RowReader row(item, "a row of resources", diagnostics);
  ReplacementRule rule;
  const std::vector<std::string> types = row.texts("types");
  rule.others_replace = row.has("keeps");
  rule.attributes = row.texts(rule.others_replace ? "keeps" : "replaces");
  if (row.has("passes")) {
    if (const source::Node* passes = row.mapping("passes")) {
      for (const source::Entry& entry : passes->entries) {
        rule.passes[entry.key] = RowReader(*passes, "`passes`", diagnostics).text(entry.key);
      }
    }
  }
  if (!row.finish(sources)) return;
  for (const std::string& type : types) rules[type] = rule;
}

// The values at "scheduling.preemptible", of each block if there are several; null where there is
// none.
Json values_at(const Json& value, std::string_view path) {
  if (value.is_array()) {
    Json found = Json::array();
    for (const Json& element : value) found.push_back(values_at(element, path));
    return found;
  }
  if (path.empty() || !value.is_object()) return path.empty() ? value : Json();
  const size_t dot = path.find('.');
  const auto member = value.find(std::string(path.substr(0, dot)));
  if (member == value.end()) return nullptr;
  return values_at(*member, dot == std::string_view::npos ? "" : path.substr(dot + 1));
}

// Whether a value is absent or made of nothing else: a block without the attribute is like no
// block.
bool is_empty(const Json& value) {
  return value.is_null() ||
         (value.is_array() && std::all_of(value.begin(), value.end(),
                                          [](const Json& element) { return is_empty(element); }));
}

// Meta-arguments, which the provider does not get.
bool is_meta(const std::string& name) {
  static const std::set<std::string> names = {"depends_on", "lifecycle", "provider", "provisioner",
                                              "timeouts"};
  return names.contains(name);
}

}  // namespace

std::set<std::string> ReplacementRule::because_of(const Json& before, const Json& after,
                                                  const std::set<std::string>& renewed) const {
  std::set<std::string> found;
  if (!others_replace) {
    for (const std::string& attribute : attributes) {
      const Json was = values_at(before, attribute), is = values_at(after, attribute);
      if (renewed.contains(attribute) || (was != is && !(is_empty(was) && is_empty(is)))) {
        found.insert(attribute);
      }
    }
    return found;
  }
  for (const Json* body : {&before, &after}) {
    for (const auto& [name, value] : body->items()) {
      if (is_meta(name) ||
          std::find(attributes.begin(), attributes.end(), name) != attributes.end())
        continue;
      if (renewed.contains(name) || values_at(before, name) != values_at(after, name))
        found.insert(name);
    }
  }
  return found;
}

ReplacementRules load_replacement_rules(const fs::path& library) {
  ReplacementRules rules;
  cluster::read_library_table(library / "catalogue/replacement.yaml",
                              [&](const source::Node& root, source::Diagnostics& diagnostics) {
                                RowReader reader(root, "the file", diagnostics);
                                const std::set<std::string> known = reader.keys("sources");
                                if (const source::Node* rows = reader.sequence("resources")) {
                                  for (const source::Node& item : rows->items)
                                    read_rule(item, known, rules, diagnostics);
                                }
                                reader.finish();
                              });
  return rules;
}

}  // namespace slipway::apply
