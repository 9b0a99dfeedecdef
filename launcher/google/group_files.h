// The files of a Terraform group.
#pragma once

#include <vector>

#include "launcher/google/definitions.h"
#include "launcher/google/module_file.h"

namespace slipway::google {

// Those of groups that come later must have been made before: they say which outputs are wanted.
std::vector<File> terraform_group(const blueprint::Deployment& deployment, size_t group,
                                  blueprint::Evaluation& evaluation, Links& links,
                                  source::Diagnostics& diagnostics);

}  // namespace slipway::google
