// Finds the folders of the Slipway installation that the running program belongs to.
#include "common/installation.h"

#include <fmt/core.h>

#include "common/error.h"

namespace slipway {

Installation find_installation() {
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe");
  Installation installation{program.parent_path().parent_path()};
  if (!std::filesystem::is_directory(installation.blueprints())) {
    throw Error(
        fmt::format("{} is not installed: {} is missing; run `meson install` and use the installed "
                    "program",
                    program.string(), installation.blueprints().string()));
  }
  return installation;
}

}  // namespace slipway
