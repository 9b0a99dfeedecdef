// Finds the folders of the Slipway installation that the running program belongs to.
#include "common/installation.h"

#include <dlfcn.h>
#include <fmt/core.h>

#include <system_error>

#include "common/error.h"

namespace slipway {
namespace {

std::filesystem::path running_program() {
  std::error_code ignored;
  return std::filesystem::read_symlink("/proc/self/exe", ignored);
}

}  // namespace

Installation own_installation() {
  Dl_info info = {};
  const bool known = ::dladdr(reinterpret_cast<const void*>(&own_installation), &info) != 0;
  const std::filesystem::path code = known && info.dli_fname != nullptr ? info.dli_fname : "";
  const std::filesystem::path folder = code.parent_path();
  // lib/slipway/spank
  if (folder.filename() == "spank") return {folder.parent_path().parent_path().parent_path()};
  return {running_program().parent_path().parent_path()};
}

Installation find_installation() {
  Installation installation = own_installation();
  if (!std::filesystem::is_directory(installation.blueprints())) {
    throw Error(
        fmt::format("{} is not installed: {} is missing; run `meson install` and use the installed "
                    "program",
                    running_program().string(), installation.blueprints().string()));
  }
  return installation;
}

}  // namespace slipway
