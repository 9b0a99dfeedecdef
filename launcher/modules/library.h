// Finds and reads the modules that a blueprint uses: from the library, from the user's folders, and
// from the cache that `slipway fetch` fills.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "launcher/modules/interface.h"
#include "launcher/modules/module_cache.h"
#include "launcher/modules/module_file.h"
#include "launcher/modules/module_source.h"
#include "launcher/modules/prepared_modules.h"
#include "launcher/source/diagnostics.h"

namespace slipway::modules {

class Library {
 public:
  // `directory` contains modules/… and community/modules/…, with one folder and module.yaml per
  // module.
  Library(std::filesystem::path directory, source::Sources& sources,
          ModuleCache cache = ModuleCache::of_user());

  // From now on, skips the bodies of resources of the library's modules. The user's modules are
  // still read in full, since their mistakes must be reported.
  void skip_bodies() { bodies_ = Bodies::skipped; }

  // The same module with the bodies of its resources, also after skip_bodies().
  const Interface& with_bodies(const Interface& interface);

  // Sets a folder in which to look for local sources that are not in the working directory.
  void look_from(std::filesystem::path blueprint_folder);

  // Reads library modules in parallel, before find() needs them. `texts` are the sources of a
  // blueprint; errors in them are left to find().
  void read_ahead(const std::vector<std::string>& texts, source::Diagnostics& diagnostics);

  // The module of a blueprint's `source`, or nullptr and a diagnostic at `place`. Errors in the
  // module's files are reported once. Does not use the network.
  const Interface* find(const std::string& source, source::Diagnostics& diagnostics,
                        Span place = {});

  // The paths of all modules of the library, sorted.
  std::vector<std::string> paths() const;

 private:
  using Path = std::filesystem::path;
  struct Request {
    const std::string& source;
    source::Diagnostics& diagnostics;
    Span place;
  };

  const Interface* find_in_library(const std::string& path, const Request& request);
  const Interface* find_local(const ModuleSource& source, const Request& request);
  const Interface* find_fetched(const ModuleSource& source, const Request& request);
  const Interface* read_folder(const Path& folder, const Request& request);
  bool has(const std::string& path) const;
  const Interface* read_own(const Path& folder, const std::string& path, Bodies bodies,
                            const Request& request);
  Interface read(const Path& folder, const std::string& path, Span text, Bodies bodies,
                 source::Diagnostics& diagnostics) const;
  const Interface* keep(const Request& request, Interface interface);
  std::string suggest(const std::string& source) const;

  Path directory_;
  const PreparedModules prepared_;
  source::Sources& sources_;
  ModuleCache cache_;
  Path blueprint_folder_;
  Bodies bodies_ = Bodies::read;
  std::map<std::string, std::unique_ptr<const Interface>> read_;
  std::map<std::string, std::unique_ptr<const Interface>> with_bodies_;  // by path; of skipped ones
};

}  // namespace slipway::modules
