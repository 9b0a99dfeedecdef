// Brings a module library up to a version of Cluster Toolkit: `slipway modules import`.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "launcher/modules/module_update.h"
#include "launcher/modules/toolkit_checkout.h"

namespace slipway::modules {

struct ModuleImport {
  // missing: Cluster Toolkit has none. gone: only an older release has it.
  enum class State { unchanged, changed, added, missing, gone };
  std::string path;
  State state = State::unchanged;
  std::vector<ModuleChange> changes;
};

struct Import {
  std::string version;                // of the checkout
  std::string before;                 // of the library
  std::vector<ModuleImport> modules;  // all, sorted by path
  // What has to be written, by the path in the library; the library's version is the last.
  std::vector<std::pair<std::string, std::string>> files;
};

struct ImportFrom {
  const Checkout& checkout;
  std::string version;
  std::filesystem::path library;  // the folder with modules/, community/ and catalogue/
  std::string before;             // the version in its catalogue
};

// What an import would change. An older release than the library's changes no module file: what
// came since, and what is gone, is recorded, so that blueprints that name it are checked. Reports
// mistakes in module files of the library. Throws Error if a module file cannot be edited.
Import plan_import(const ImportFrom& from, source::Sources& sources,
                   source::Diagnostics& diagnostics);

// Writes the files. Restores those that it has written, and throws Error, if it cannot write one.
void write_import(const Import& import, const std::filesystem::path& library);

}  // namespace slipway::modules
