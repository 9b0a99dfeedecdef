// The cache of remote modules on this machine. Only `slipway fetch` writes to it.
#pragma once

#include <filesystem>

#include "launcher/modules/module_source.h"

namespace slipway::modules {

struct ModuleCache {
  std::filesystem::path root;  // empty: no cache

  // $XDG_CACHE_HOME/slipway/modules or ~/.cache/slipway/modules.
  static ModuleCache of_user();

  // The folder for a remote source's package, whether it exists or not; empty without a root.
  // Unique for each package.
  std::filesystem::path folder(const ModuleSource& source) const;
};

}  // namespace slipway::modules
