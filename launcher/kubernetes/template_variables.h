// The variables that a template of Terraform needs.
#pragma once

#include <string>
#include <vector>

#include "launcher/kubernetes/manifest_text.h"

namespace slipway::kubernetes {

// Reports a template that Terraform cannot read, and each name in it that is not in `variables`.
// `setting` is where these are set, for the help: "template_vars".
void check_variables(const ManifestText& manifest, const std::vector<std::string>& variables,
                     const std::string& setting, source::Diagnostics& diagnostics);

}  // namespace slipway::kubernetes
