// Modules that a language server has found to be right: most of a blueprint does not change between
// two checks.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>

#include "common/kept.h"
#include "launcher/blueprint/evaluation.h"

namespace slipway::blueprint {

// A module of the library keeps its rules, and its outputs can be evaluated, if one with the same
// id and the same values of the same settings did. Both depend only on these and the library.
class KnownModules {
 public:
  // Call before each check: forgets all modules after a change of the catalogue.
  void begin_check();

  // A number for the module with its values; nothing if it is not of the library.
  std::optional<uint64_t> digest(const Module& module, Evaluation& evaluation);

  bool is_right(uint64_t digest) const { return right_.contains(digest); }
  void add(uint64_t digest);

 private:
  uint64_t digest_of_interface(const modules::Interface& interface);

  std::set<uint64_t> right_;
  std::map<std::filesystem::path, FolderState> catalogues_;
  std::map<const modules::Interface*, uint64_t> interfaces_;  // of this check
};

}  // namespace slipway::blueprint
