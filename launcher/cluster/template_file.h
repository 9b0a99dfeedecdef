// Reads the files that a blueprint names for Slurm's configuration: templates and scripts.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "launcher/blueprint/deployment.h"
#include "launcher/source/diagnostics.h"

namespace slipway::cluster {

// The text of a file that a setting of `module` names in the form that Terraform would see in a
// deployment's folder: an absolute path, a file that ghpc_stage() copies, or a file of the library
// ("modules/embedded/…"). Reports at `place` a path of another form and a file that cannot be read,
// is larger than 1 MiB, or is not text.
std::optional<std::string> read_named_file(const std::string& path, const blueprint::Module& module,
                                           const blueprint::Deployment& deployment,
                                           source::Span place, source::Diagnostics& diagnostics);

}  // namespace slipway::cluster
