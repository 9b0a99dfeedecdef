// Where modules from elsewhere lie on this machine. Only `slipway fetch` writes there.
#pragma once

#include <filesystem>

#include "launcher/modules/module_source.h"

namespace slipway::modules {

struct ModuleCache {
  std::filesystem::path root;  // empty: there is none

  // $XDG_CACHE_HOME/slipway/modules or ~/.cache/slipway/modules.
  static ModuleCache of_user();

  // The folder of a remote source's package, whether it exists or not; empty without a root.
  // Two packages never share one.
  std::filesystem::path folder(const ModuleSource& source) const;
};

}  // namespace slipway::modules
