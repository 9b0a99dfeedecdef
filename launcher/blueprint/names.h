// Rules for names in a blueprint.
#pragma once

#include <string_view>

namespace slipway::blueprint {

bool is_label_value(std::string_view text);  // at most 63 lowercase letters, digits, _ and -
bool is_label_key(std::string_view text);    // the same, with a letter first
// A label from which a Slurm cluster name can be derived, and that does not look like an option.
bool is_deployment_name(std::string_view text);

bool is_group_name(std::string_view text);    // letters, digits, _, and - between them
bool is_module_id(std::string_view text);     // as Terraform's module names
bool is_cluster_name(std::string_view text);  // ^[a-z][-a-z0-9]{0,19}$

}  // namespace slipway::blueprint
