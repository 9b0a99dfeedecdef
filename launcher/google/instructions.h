// Writes instructions.txt: how to deploy the definitions by hand.
#pragma once

#include <string>

#include "launcher/google/definitions.h"

namespace slipway::google {

// The files in a group's folder for its inputs. Terraform reads the first one automatically.
inline constexpr const char* terraform_inputs = "terraform.tfvars.json";
inline constexpr const char* packer_inputs = "inputs.pkrvars.json";

// The text of instructions.txt: commands for every group, in order.
std::string instructions(const Definitions& definitions);

}  // namespace slipway::google
