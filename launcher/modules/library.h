// The modules that a blueprint can name, read when they are asked for: those of the library,
// folders of the user's, and what `slipway fetch` has brought.
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
  // `directory` holds modules/… and community/modules/…, one folder with a module.yaml a module.
  Library(std::filesystem::path directory, source::Sources& sources,
          ModuleCache cache = ModuleCache::of_user());

  // From now on, only the names of the resources of the library's own modules are read, which are
  // right. The user's modules are read whole: their mistakes are to be said.
  void leave_out_bodies() { bodies_ = Bodies::left_out; }

  // A folder in which local sources are looked for when they are not in the working directory.
  void look_from(std::filesystem::path blueprint_folder);

  // Reads modules of the library that find() will be asked for, several at the same time. What is
  // wrong with `texts`, sources of a blueprint, is left to find().
  void read_ahead(const std::vector<std::string>& texts, source::Diagnostics& diagnostics);

  // The module of a blueprint's `source`, or nullptr when there is none: then a diagnostic at
  // `place` says why. Mistakes in its files are diagnostics, too, said once. Uses no network.
  const Interface* find(const std::string& source, source::Diagnostics& diagnostics,
                        Span place = {});

  // Every path of the library, in alphabetical order.
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
};

}  // namespace slipway::modules
