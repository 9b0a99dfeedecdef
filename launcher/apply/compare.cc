// Compares two versions of a group's definitions.
#include "launcher/apply/compare.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "common/text.h"
#include "launcher/apply/ignored.h"
#include "launcher/apply/replacements.h"

namespace slipway::apply {
namespace {

struct Entry {
  std::string module;
  Json body;
};

using Entries = std::map<std::string, Entry>;  // by address

// True for files that belong to the group itself, not to a module.
bool is_group_file(const std::string& file) {
  static const std::set<std::string> names = {"backend.tf.json", "outputs.tf.json",
                                              "providers.tf.json", "variables.tf.json",
                                              "versions.tf.json"};
  return names.contains(file);
}

class Reader {
 public:
  explicit Reader(const GroupDefinitions& definitions) : definitions_(definitions) {}

  Entries read() {
    for (const auto& [path, document] : definitions_.documents) {
      module_ = is_group_file(path) ? "" : path.substr(0, path.find('.'));
      if (path.ends_with(".pkrvars.json")) {
        for (const auto& [name, value] : document.items()) put("var." + name, value);
        continue;
      }
      for (const auto& [kind, body] : document.items()) add(kind, body);
    }
    add_files();
    return std::move(entries_);
  }

 private:
  // Ignores variables, which repeat outputs, and versions, which follow from the modules.
  void add(const std::string& kind, const Json& body) {
    if (kind == "resource" || kind == "data" || kind == "source") {
      const std::string prefix = kind == "data" ? "data." : "";
      for (const auto& [type, named] : body.items()) {
        for (const auto& [name, resource] : named.items()) {
          put(prefix + type + "." + name, without_ignored(resource));
        }
      }
    } else if (kind == "module" || kind == "output" || kind == "provider") {
      for (const auto& [name, block] : body.items()) put(kind + "." + name, block);
    } else if (kind == "build") {
      put("build", body);
    } else if (kind == "terraform" && body.contains("backend")) {
      put("backend", body["backend"]);
    }
  }

  void put(const std::string& address, const Json& body) { entries_[address] = {module_, body}; }

  // Adds the digests of copied modules and of files that settings name.
  void add_files() {
    for (const auto& [path, digest] : definitions_.digests) {
      if (definitions_.documents.contains(path)) continue;
      const std::string name = "file " + path;
      bool is_module = false;
      for (auto& [address, entry] : entries_) {
        if (!has_file(address, entry, path)) continue;
        entry.body[name] = digest.substr(0, 12);
        is_module = true;
      }
      if (is_module) continue;
      Entry& files = entries_.try_emplace("files", Entry{"", Json::object()}).first->second;
      files.body[name] = digest.substr(0, 12);
    }
  }

  // Whether the module block calls the folder of the file: "./modules/text" contains
  // "modules/text/main.tf".
  static bool has_file(const std::string& address, const Entry& entry, const std::string& path) {
    if (!address.starts_with("module.")) return false;
    const std::string source = entry.body.value("source", "");
    return source.starts_with("./") && path.starts_with(source.substr(2) + "/");
  }

  const GroupDefinitions& definitions_;
  std::string module_;
  Entries entries_;
};

Entries entries_of(const GroupDefinitions* definitions) {
  return definitions == nullptr ? Entries() : Reader(*definitions).read();
}

// Whether the entry is a resource or a data source, which other resources can refer to.
bool is_referred_to(const std::string& address) {
  static const std::set<std::string> others = {"module", "output", "provider", "var"};
  const size_t dot = address.find('.');
  return dot != std::string::npos && !address.starts_with("file ") &&
         !others.contains(address.substr(0, dot));
}

std::map<std::string, Effect> effects_of(const Entries& old, const Entries& now,
                                         const ReplacementRules& rules) {
  std::map<std::string, Definition> kept;
  for (const auto& [address, entry] : now) {
    const auto was = old.find(address);
    if (was != old.end() && is_referred_to(address))
      kept[address] = {&was->second.body, &entry.body};
  }
  return effects(kept, rules);
}

// A change of an entry that is there before and after; nothing if Terraform does nothing to it.
std::optional<Change> change_of(const std::string& address, const Json& before, const Json& after,
                                const std::map<std::string, Effect>& effects) {
  const auto found = effects.find(address);
  if (address.starts_with("data.")) return std::nullopt;  // Terraform reads it
  if (before == after && found == effects.end()) return std::nullopt;
  Change change{Action::update, address, differences(before, after, {nullptr, nullptr, true})};
  if (found == effects.end()) return change;
  for (const std::string& attribute : found->second.renewed) {
    if (after.contains(attribute) && before.contains(attribute) &&
        before[attribute] == after[attribute]) {
      change.attributes.push_back({attribute, known_later, known_later});
    }
  }
  const std::set<std::string>& because = found->second.because;
  if (!because.empty()) {
    change.action = Action::replace;
    change.why = join(std::vector<std::string>(because.begin(), because.end()), ", ");
  }
  return change;
}

}  // namespace

GroupChanges compare(const GroupDefinitions* before, const GroupDefinitions* after,
                     const ReplacementRules& rules) {
  const GroupDefinitions& either = after != nullptr ? *after : *before;
  GroupChanges changes{either.group, either.kind, GroupChanges::From::definitions, {}, {}};
  const Entries old = entries_of(before), now = entries_of(after);
  const std::map<std::string, Effect> effects = effects_of(old, now, rules);
  for (const auto& [address, entry] : now) {
    const auto was = old.find(address);
    std::vector<Change>& list = changes.modules[entry.module];
    if (was == old.end()) {
      if (!address.starts_with("data.")) list.push_back({Action::create, address});
    } else if (auto change = change_of(address, was->second.body, entry.body, effects)) {
      list.push_back(std::move(*change));
    }
  }
  for (const auto& [address, entry] : old) {
    if (!now.contains(address) && !address.starts_with("data.")) {
      changes.modules[entry.module].push_back({Action::destroy, address});
    }
  }
  std::erase_if(changes.modules, [](const auto& module) { return module.second.empty(); });
  return changes;
}

}  // namespace slipway::apply
