// Keeps which modules are right between the checks of a language server.
#include "launcher/blueprint/known_modules.h"

#include <fmt/core.h>

#include "common/digest.h"

namespace slipway::blueprint {
namespace {

namespace fs = std::filesystem;
using expression::Value;

uint64_t mixed(uint64_t digest, uint64_t next) {
  constexpr uint64_t golden = 0x9E3779B97F4A7C15;
  return (digest ^ (next + golden + (digest << 6) + (digest >> 2))) * golden;
}

uint64_t digest_of_value(const Value& value) {
  uint64_t digest = mixed(value.data.index(),
                          static_cast<uint64_t>(value.collection) * 2 + (value.sensitive ? 1 : 0));
  if (const auto* list = value.as<Value::List>()) {
    for (const Value& item : *list) digest = mixed(digest, digest_of_value(item));
  } else if (const auto* object = value.as<Value::Object>()) {
    for (const auto& [key, member] : *object) {
      digest = mixed(mixed(digest, digest_of(key)), digest_of_value(member));
    }
  } else if (const auto* text = value.as<std::string>()) {
    digest = mixed(digest, digest_of(*text));
  } else if (const auto* number = value.as<Value::Number>()) {
    digest = mixed(digest, digest_of(expression::number_text(*number)));
  } else if (const auto* boolean = value.as<bool>()) {
    digest = mixed(digest, *boolean ? 1 : 0);
  } else if (const auto* unknown = value.as<expression::Unknown>()) {
    digest = mixed(digest, digest_of(expression::to_hcl(*unknown->expression)));
    digest = mixed(digest, digest_of(unknown->module));
  }
  return digest;
}

// The library that a module is from; empty for another module.
fs::path library_of_module(const modules::Interface& interface) {
  const bool inside =
      !interface.foreign && interface.folder.ends_with("/" + interface.path) &&
      (interface.path.starts_with("modules/") || interface.path.starts_with("community/modules/"));
  if (!inside) return {};
  return interface.folder.substr(0, interface.folder.size() - interface.path.size());
}

}  // namespace

void KnownModules::begin_check() {
  interfaces_.clear();
  bool changed = false;
  for (auto& [folder, state] : catalogues_) {
    FolderState now = state_of(folder);
    changed = changed || now != state;
    state = std::move(now);
  }
  if (changed) right_.clear();
}

uint64_t KnownModules::digest_of_interface(const modules::Interface& interface) {
  const auto [entry, fresh] = interfaces_.try_emplace(&interface);
  if (fresh) {
    const fs::path catalogue = library_of_module(interface) / "catalogue";
    if (!catalogues_.contains(catalogue)) catalogues_[catalogue] = state_of(catalogue);
    const fs::path file = fs::path(interface.folder) / "module.yaml";
    std::error_code gone;
    entry->second = mixed(
        mixed(digest_of(file.string()),
              static_cast<uint64_t>(fs::last_write_time(file, gone).time_since_epoch().count())),
        fs::file_size(file, gone));
  }
  return entry->second;
}

std::optional<uint64_t> KnownModules::digest(const Module& module, Evaluation& evaluation) {
  if (library_of_module(*module.interface).empty()) return std::nullopt;
  uint64_t digest = mixed(digest_of_interface(*module.interface), digest_of(module.id));
  digest = mixed(digest, digest_of(module.source));
  // Cluster Toolkit's module may take the place of one.
  const modules::Interface& interface = *module.interface;
  for (const size_t count :
       {interface.inputs.size(), interface.outputs.size(), interface.rules.size()}) {
    digest = mixed(digest, count);
  }
  for (const auto& [name, setting] : module.settings) {
    if (module.interface->input(name) == nullptr) continue;
    digest = mixed(mixed(digest, digest_of(name)), static_cast<uint64_t>(setting.origin));
    digest = mixed(digest, digest_of_value(evaluation.input(module, name)));
  }
  return digest;
}

void KnownModules::add(uint64_t digest) {
  constexpr size_t most = 100'000;
  if (right_.size() >= most) right_.clear();
  right_.insert(digest);
}

}  // namespace slipway::blueprint
