// The library's modules in a form that is read in a fraction of the time that their YAML takes. It
// is made when Slipway is built, and lies beside the module files, which stay what is true: of a
// file that has been changed since, the YAML is read.
// docs/decisions/0033-prepared-modules.md says why it is there.
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

  // The file in the library's `directory`. Without one, with one that another version of Slipway
  // has made, or one that cannot be read, there are none.
  explicit PreparedModules(const std::filesystem::path& directory);

  // The module of a path, when `file` holds the text that it was prepared from. Its places are in
  // `file`; its folder is not set. Several threads may ask.
  std::optional<Interface> find(const std::string& path, Span file, const source::Sources& sources,
                                Bodies bodies) const;

  struct Read {
    Span file;
    const Interface& interface;  // with the bodies of its resources
  };

  // What the file is to hold for modules, by their paths. The same for the same module files.
  static std::string prepare(const std::map<std::string, Read>& modules,
                             const source::Sources& sources);

  struct Entry {
    uint64_t digest = 0;  // of the module file's text
    uint64_t offset = 0;  // in what follows the index
    uint64_t size = 0;    // bytes
  };

 private:
  std::filesystem::path file_;
  std::map<std::string, Entry> index_;
  uint64_t begin_ = 0;  // of what follows the index
};

}  // namespace slipway::modules
