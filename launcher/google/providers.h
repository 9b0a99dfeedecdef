// The Terraform providers of resources, and their versions.
#pragma once

#include <string>

#include "launcher/google/terraform_value.h"

namespace slipway::google {

// The versions of Terraform and OpenTofu that can read the definitions.
inline constexpr const char* terraform_version = ">= 1.5.0";

// The provider of a resource type, which is the first part of its name: "google" for
// "google_compute_network".
std::string provider_of(const std::string& type);

// An entry of required_providers; null for a provider that is built into Terraform or unknown here.
Json required_provider(const std::string& name);

}  // namespace slipway::google
