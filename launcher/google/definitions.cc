// From a Deployment to the files of its groups.
#include "launcher/google/definitions.h"

#include <fmt/format.h>

#include <algorithm>

#include "launcher/google/group_files.h"

namespace slipway::google {
namespace {

// Modules that nobody has written the resources of.
void check_resources(const blueprint::Deployment& deployment, source::Diagnostics& diagnostics) {
  for (const blueprint::Group& group : deployment.groups) {
    for (const blueprint::Module& module : group.modules) {
      const modules::Interface& interface = *module.interface;
      if (interface.foreign || interface.resources || interface.packer_template) continue;
      diagnostics
          .error(source::Code::no_resources, module.source_span,
                 fmt::format("module `{}` cannot be created: `{}` has no resources yet", module.id,
                             module.source))
          .help("`slipway check`, `expand` and `model` know what it is");
    }
  }
}

}  // namespace

Definitions define(const blueprint::Deployment& deployment, source::Diagnostics& diagnostics) {
  check_resources(deployment, diagnostics);
  Definitions definitions{deployment.name, {}};
  if (diagnostics.errors() > 0) return definitions;
  blueprint::Evaluation evaluation(deployment, diagnostics);
  Links links(deployment, evaluation, diagnostics);
  // The last one first: what it needs from the others must be among their outputs.
  for (size_t group = deployment.groups.size(); group-- > 0;) {
    std::vector<File> files = terraform_group(deployment, group, evaluation, links, diagnostics);
    std::move(files.begin(), files.end(), std::back_inserter(definitions.files));
  }
  std::sort(definitions.files.begin(), definitions.files.end(),
            [](const File& a, const File& b) { return a.path < b.path; });
  return definitions;
}

}  // namespace slipway::google
