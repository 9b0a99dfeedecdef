// The table of providers. Sources and versions: https://registry.terraform.io/browse/providers
#include "launcher/google/providers.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>

namespace slipway::google {
namespace {

struct Provider {
  std::string_view name;
  std::string_view source;
  std::string_view version;
};

// A new major version may change resources, so it is not used untested.
constexpr std::array table = std::to_array<Provider>({
    {"google", "hashicorp/google", ">= 6.41.0, < 8.0.0"},
    {"google-beta", "hashicorp/google-beta", ">= 6.41.0, < 8.0.0"},
    {"http", "hashicorp/http", "~> 3.0"},
    {"local", "hashicorp/local", "~> 2.0"},
    {"null", "hashicorp/null", "~> 3.0"},
    {"random", "hashicorp/random", "~> 3.0"},
    {"time", "hashicorp/time", "~> 0.9"},
    {"tls", "hashicorp/tls", "~> 4.0"},
});

}  // namespace

std::string provider_of(const std::string& type) {
  return type.substr(0, type.find('_'));
}

Json required_provider(const std::string& name) {
  const auto found = std::find_if(table.begin(), table.end(),
                                  [&](const Provider& provider) { return provider.name == name; });
  if (found == table.end()) return nullptr;
  return {{"source", found->source}, {"version", found->version}};
}

}  // namespace slipway::google
