// The Terraform providers of resources, and the versions that the definitions need:
// blueprints/catalogue/providers.yaml.
#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "launcher/google/terraform_value.h"

namespace slipway::google {

// The provider of a resource type, which is the first part of its name: "google" for
// "google_compute_network".
std::string provider_of(const std::string& type);

using ProviderVersion = std::array<int, 3>;  // 6.41.0

// The oldest version of Terraform and OpenTofu that can read the definitions.
inline constexpr ProviderVersion least_terraform{1, 5, 0};

struct Provider {
  std::string source;            // in Terraform's registry
  ProviderVersion least, below;  // the versions that definitions are written for
};

// What a version introduced: a resource type, one of its attributes, or a value of one.
struct Novelty {
  ProviderVersion version;
  std::string type;
  std::vector<std::string> path;  // {"network_interface", "nic_type"}; empty: the type itself
  std::string value;              // empty: any
  ProviderVersion terraform{};    // that Terraform itself must have; 0.0.0: any
};

struct Providers {
  std::map<std::string, Provider, std::less<>> providers;  // by name: "google-beta"
  std::vector<Novelty> novelties;

  // The version that can make such a resource; 0.0.0 if all can.
  ProviderVersion needed_by(const std::string& type, const Json& body) const;

  // The version of Terraform that can make it; 0.0.0 if all can.
  ProviderVersion terraform_needed_by(const std::string& type, const Json& body) const;

  // An entry of required_providers, for at least that version; null for a provider that is built
  // into Terraform or unknown here.
  Json required(const std::string& name, ProviderVersion least) const;
};

// "1.11.0"
std::string version_text(const ProviderVersion& version);

// From the folder `catalogue` of `library`; without the file, there are none. Throws Error if the
// file is invalid.
Providers load_providers(const std::filesystem::path& library);

}  // namespace slipway::google
