// Reads a blueprint with its includes.
#include "launcher/blueprint/include.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "common/file.h"
#include "launcher/blueprint/reader.h"

namespace slipway::blueprint {
namespace {

namespace fs = std::filesystem;

using source::Code;

// How deep includes may be nested.
constexpr size_t include_limit = 20;

// Reads included blueprints before the one that includes them.
class IncludeReader {
 public:
  IncludeReader(source::Sources& sources, source::Diagnostics& diagnostics, Deployment& deployment)
      : sources_(sources), diagnostics_(diagnostics), deployment_(deployment) {}

  // False if the text is not YAML.
  bool read(Span text) {
    const auto root = source::read_yaml(text, sources_, diagnostics_);
    if (!root) return false;
    const fs::path file(sources_.place(text.begin).file);
    deployment_.files.push_back(file.string());
    path_.push_back(file.lexically_normal());
    for (const Include& include : read_includes(*root, sources_, diagnostics_)) {
      if (!include.path.empty()) follow(include, file.parent_path());
    }
    path_.pop_back();
    read_blueprint(*root, !path_.empty(), sources_, diagnostics_, deployment_);
    return true;
  }

 private:
  void follow(const Include& include, const fs::path& folder) {
    std::error_code ignored;
    const fs::path file = (folder / include.path).lexically_normal();
    if (std::find(path_.begin(), path_.end(), file) != path_.end()) {
      diagnostics_.error(Code::no_such_file, include.span,
                         fmt::format("`{}` includes itself", include.path));
    } else if (path_.size() >= include_limit) {
      diagnostics_.error(Code::no_such_file, include.span,
                         fmt::format("includes are nested more than {} deep", include_limit));
    } else if (!fs::is_regular_file(file, ignored)) {
      diagnostics_
          .error(Code::no_such_file, include.span,
                 fmt::format("there is no file `{}`", file.string()))
          .help("a path is relative to the folder of the file that contains it");
    } else if (seen_.insert(fs::weakly_canonical(file)).second) {
      read(sources_.add_file(file));
    }
  }

  source::Sources& sources_;
  source::Diagnostics& diagnostics_;
  Deployment& deployment_;
  std::vector<fs::path> path_;  // the files being read
  std::set<fs::path> seen_;     // to read a file only once
};

}  // namespace

bool read_with_includes(Span text, source::Sources& sources, source::Diagnostics& diagnostics,
                        Deployment& deployment) {
  return IncludeReader(sources, diagnostics, deployment).read(text);
}

}  // namespace slipway::blueprint
