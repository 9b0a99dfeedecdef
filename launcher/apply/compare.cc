// Compares two versions of a group's definitions.
#include "launcher/apply/compare.h"

#include <nlohmann/json.hpp>
#include <set>

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
          put(prefix + type + "." + name, resource);
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

}  // namespace

GroupChanges compare(const GroupDefinitions* before, const GroupDefinitions* after) {
  const GroupDefinitions& either = after != nullptr ? *after : *before;
  GroupChanges changes{either.group, either.kind, GroupChanges::From::definitions, {}, {}};
  const Entries old = entries_of(before), now = entries_of(after);
  for (const auto& [address, entry] : now) {
    const auto was = old.find(address);
    std::vector<Change>& list = changes.modules[entry.module];
    if (was == old.end()) {
      list.push_back({Action::create, address});
    } else if (was->second.body != entry.body) {
      list.push_back({Action::update, address,
                      differences(was->second.body, entry.body, {nullptr, nullptr, true})});
    }
  }
  for (const auto& [address, entry] : old) {
    if (!now.contains(address)) {
      changes.modules[entry.module].push_back({Action::destroy, address});
    }
  }
  std::erase_if(changes.modules, [](const auto& module) { return module.second.empty(); });
  return changes;
}

}  // namespace slipway::apply
