// What the person who applies the definitions by hand has to do.
#pragma once

#include <string>

#include "launcher/google/definitions.h"

namespace slipway::google {

// The files that a group's inputs are written to, beside its own. Terraform reads it without being
// told.
inline constexpr const char* terraform_inputs = "terraform.tfvars.json";
inline constexpr const char* packer_inputs = "inputs.pkrvars.json";

// The text of instructions.txt: commands for every group, in their order.
std::string instructions(const Definitions& definitions);

}  // namespace slipway::google
