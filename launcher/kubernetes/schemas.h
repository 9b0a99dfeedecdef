// The strict schemas of Kubernetes objects: blueprints/catalogue/kubernetes_schemas.json.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace slipway::kubernetes {

class Schemas {
 public:
  // Throws Error if the file cannot be read or is not the JSON that we install.
  explicit Schemas(const std::filesystem::path& catalogue);

  // The schema of an object, or nullptr if `check` does not know its kind.
  const nlohmann::json* find(std::string_view api, std::string_view kind) const;

  // The versions of a kind, as values of apiVersion.
  std::vector<std::string> versions(std::string_view kind) const;
  std::vector<std::string> kinds() const;  // without duplicates

  // A schema itself, or the definition that its $ref names.
  const nlohmann::json& target(const nlohmann::json& schema) const;

 private:
  nlohmann::json file_;
};

}  // namespace slipway::kubernetes
