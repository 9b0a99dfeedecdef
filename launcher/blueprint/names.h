// What names of a blueprint may look like.
#pragma once

#include <string_view>

namespace slipway::blueprint {

bool is_label_value(std::string_view text);  // lower case letters, digits, _ and -; at most 63
bool is_label_key(std::string_view text);    // the same, a letter first
// A label that a Slurm cluster's name can be made from, and that no program takes for an option.
bool is_deployment_name(std::string_view text);

bool is_group_name(std::string_view text);    // letters, digits, _, and - between them
bool is_module_id(std::string_view text);     // what Terraform accepts as a module's name
bool is_cluster_name(std::string_view text);  // ^[a-z][-a-z0-9]{0,19}$

}  // namespace slipway::blueprint
