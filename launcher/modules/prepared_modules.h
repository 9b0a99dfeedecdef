// The library's modules in a binary file that is read in a fraction of the time that their YAML
// takes. It is written when Slipway is built. If a module file has changed since, its YAML is read
// instead. Background: docs/decisions/0033-prepared-modules.md.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "launcher/modules/interface.h"
#include "launcher/modules/module_file.h"
#include "launcher/source/sources.h"

namespace slipway::modules {

class PreparedModules {
 public:
  static constexpr const char* file_name = "modules.prepared";

  // Opens the file in the library's `directory`. If it is missing, unreadable or from another
  // version of Slipway, find() returns nothing.
  explicit PreparedModules(const std::filesystem::path& directory);

  // The module with this path, if it was prepared from the text of `file`. Its spans are in `file`;
  // its folder is not set. Can be called from several threads.
  std::optional<Interface> find(const std::string& path, Span file, const source::Sources& sources,
                                Bodies bodies) const;

  struct Read {
    Span file;
    const Interface& interface;  // with the bodies of its resources
  };

  // The contents of the file for these modules, by path. Reproducible: equal for equal module
  // files.
  static std::string prepare(const std::map<std::string, Read>& modules,
                             const source::Sources& sources);

  struct Entry {
    uint64_t digest = 0;  // of the module file's text
    uint64_t offset = 0;  // from the end of the index
    uint64_t size = 0;    // bytes
  };

 private:
  std::filesystem::path file_;
  std::map<std::string, Entry> index_;
  uint64_t begin_ = 0;  // offset of the end of the index
};

}  // namespace slipway::modules
