// Reads the optional tables of a library of modules.
#include "launcher/cluster/library_table.h"
#include "launcher/source/table.h"

#include "common/error.h"

namespace slipway::cluster {

void read_library_table(
    const std::filesystem::path& file,
    const std::function<void(const source::Node&, source::Diagnostics&)>& read) {
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return;
  source::Sources sources;
  source::Diagnostics diagnostics(sources);
  const auto root = read_table(file, sources, diagnostics);
  if (root) read(*root, diagnostics);
  if (diagnostics.errors() > 0) throw Error(render(diagnostics));
}

}  // namespace slipway::cluster
