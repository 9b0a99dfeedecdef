// Attributes that a definition tells Terraform to ignore: `lifecycle` with `ignore_changes`.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace slipway::apply {

// The body of a resource without the attributes that its `ignore_changes` names, as
// `boot_disk[0].initialize_params[0].labels` or `metadata["ssh-keys"]`.
nlohmann::ordered_json without_ignored(nlohmann::ordered_json body);

}  // namespace slipway::apply
