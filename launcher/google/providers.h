// The Terraform providers that resources come from.
#pragma once

#include <string>

#include "launcher/google/terraform_value.h"

namespace slipway::google {

// The versions of Terraform, and of OpenTofu, that read what is written.
inline constexpr const char* terraform_version = ">= 1.5.0";

// The provider of a resource type: the first part of its name. "google" of
// "google_compute_network".
std::string provider_of(const std::string& type);

// An entry of required_providers; null of a provider that Terraform has built in, and of one that
// is not known here.
Json required_provider(const std::string& name);

}  // namespace slipway::google
