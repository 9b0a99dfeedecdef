// Finds the schemas of Kubernetes objects.
#include "launcher/kubernetes/schemas.h"

#include <fmt/core.h>

#include <algorithm>

#include "common/error.h"
#include "common/file.h"

namespace slipway::kubernetes {
namespace {

std::string const_of(const nlohmann::json& schema, const char* field) {
  return schema.at("properties").at(field).at("const").get<std::string>();
}

}  // namespace

Schemas::Schemas(const std::filesystem::path& catalogue) {
  const std::filesystem::path file = catalogue / "kubernetes_schemas.json";
  file_ = nlohmann::json::parse(read_file(file), nullptr, false);
  if (!file_.is_object() || !file_.contains("kinds") || !file_.contains("definitions")) {
    throw Error(fmt::format("{} is not a file of schemas", file.string()));
  }
}

const nlohmann::json* Schemas::find(std::string_view api, std::string_view kind) const {
  for (const nlohmann::json& schema : file_.at("kinds")) {
    if (const_of(schema, "kind") == kind && const_of(schema, "apiVersion") == api) return &schema;
  }
  return nullptr;
}

std::vector<std::string> Schemas::versions(std::string_view kind) const {
  std::vector<std::string> versions;
  for (const nlohmann::json& schema : file_.at("kinds")) {
    if (const_of(schema, "kind") == kind) versions.push_back(const_of(schema, "apiVersion"));
  }
  return versions;
}

std::vector<std::string> Schemas::kinds() const {
  std::vector<std::string> kinds;
  for (const nlohmann::json& schema : file_.at("kinds")) {
    const std::string kind = const_of(schema, "kind");
    if (std::ranges::find(kinds, kind) == kinds.end()) kinds.push_back(kind);
  }
  return kinds;
}

const nlohmann::json& Schemas::target(const nlohmann::json& schema) const {
  const auto reference = schema.find("$ref");
  if (reference == schema.end()) return schema;
  return file_.at("definitions").at(reference->get<std::string>());
}

}  // namespace slipway::kubernetes
