// The module library: a folder of module files, read when they are asked for.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "launcher/modules/interface.h"
#include "launcher/source/diagnostics.h"

namespace slipway::modules {

class Library {
 public:
  // `directory` holds modules/… and community/modules/…, one folder with a module.yaml a module.
  Library(std::filesystem::path directory, source::Sources& sources);

  // The module of a blueprint's `source`, or nullptr when the library does not have it. Mistakes in
  // its file are diagnostics, said once.
  const Interface* find(const std::string& path, source::Diagnostics& diagnostics);

  // Every path that find() knows, in alphabetical order.
  std::vector<std::string> paths() const;

 private:
  std::filesystem::path directory_;
  source::Sources& sources_;
  std::map<std::string, std::unique_ptr<const Interface>> read_;
};

}  // namespace slipway::modules
