// Finds groups and modules in the blueprint.
#include "launcher/apply/places.h"

#include <algorithm>
#include <cctype>

#include "common/error.h"
#include "common/file.h"
#include "launcher/google/record.h"
#include "launcher/source/yaml.h"

namespace slipway::apply {
namespace {

using source::Node;

constexpr size_t largest_blueprint = 64 << 20;

void collect_texts(const Node& node, std::vector<std::string>& texts) {
  if (node.is_scalar()) texts.push_back(node.text);
  for (const Node& item : node.items) collect_texts(item, texts);
  for (const source::Entry& entry : node.entries) collect_texts(entry.value, texts);
}

// Collects the modules in a string: "net" from "((module.net.network_id))".
void collect_modules(const std::string& text, std::vector<std::string>& modules) {
  constexpr std::string_view word = "module.";
  for (size_t at = 0; (at = text.find(word, at)) != std::string::npos;) {
    at += word.size();
    const size_t end = text.find_first_not_of(
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-", at);
    modules.push_back(text.substr(at, end - at));
  }
}

source::Span find(const std::map<std::string, source::Span>& places, const std::string& name) {
  const auto place = places.find(name);
  return place == places.end() ? source::Span{} : place->second;
}

}  // namespace

Places::Places(const blueprint::Deployment& deployment, const source::Sources& sources)
    : sources_(sources) {
  for (const blueprint::Group& group : deployment.groups) {
    groups_[group.name] = group.span;
    for (const blueprint::Module& module : group.modules) modules_[module.id] = module.id_span;
  }
}

Places::Places(const std::filesystem::path& folder, source::Sources& sources) : sources_(sources) {
  std::string text;
  try {
    text = read_regular_file(folder / google::blueprint_file, largest_blueprint);
  } catch (const Error&) {
    return;  // messages will lack their place
  }
  source::Diagnostics ignored(sources);
  const auto root = source::read_yaml(
      sources.add((folder / google::blueprint_file).string(), std::move(text)), sources, ignored);
  const Node* groups = root ? root->find("deployment_groups") : nullptr;
  if (groups == nullptr) return;
  for (const Node& group : groups->items) {
    const Node* name = group.find("group");
    const Node* modules = group.find("modules");
    if (name == nullptr || modules == nullptr) continue;
    groups_[name->text] = name->span;
    for (const Node& module : modules->items) {
      const Node* id = module.find("id");
      if (id == nullptr) continue;
      modules_[id->text] = id->span;
      group_of_[id->text] = name->text;
    }
    std::vector<std::string>& named = references_[name->text];
    std::vector<std::string> texts;
    collect_texts(*modules, texts);
    for (const std::string& written : texts) collect_modules(written, named);
    for (const Node& module : modules->items) {
      const Node* needed = module.find("depends_on");
      if (needed == nullptr) continue;
      for (const Node& id : needed->items) named.push_back(id.text);
    }
  }
}

source::Span Places::group(const std::string& name) const {
  return find(groups_, name);
}

source::Span Places::module(const std::string& id) const {
  return find(modules_, id);
}

std::vector<std::string> Places::used_by(const std::string& group) const {
  std::vector<std::string> used;
  const auto named = references_.find(group);
  if (named == references_.end()) return used;
  for (const std::string& module : named->second) {
    const auto other = group_of_.find(module);
    if (other == group_of_.end() || other->second == group) continue;
    if (std::find(used.begin(), used.end(), other->second) == used.end()) {
      used.push_back(other->second);
    }
  }
  return used;
}

}  // namespace slipway::apply
