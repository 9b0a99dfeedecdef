// Makes the JSON Schema of blueprints.
#include "launcher/commands/blueprint_schema.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "launcher/blueprint/terraform_reader.h"
#include "launcher/commands/type_schema.h"

namespace slipway::commands {
namespace {

using modules::Interface;
using Json = nlohmann::ordered_json;

Json described(Json schema, const char* description) {
  schema["description"] = description;
  return schema;
}

// An object with these keys and no others; null means an empty one.
Json keys(Json properties, Json required = Json::array()) {
  return {{"type", "object"},
          {"properties", std::move(properties)},
          {"required", std::move(required)},
          {"additionalProperties", false}};
}

Json definition(const std::string& name) {
  return {{"$ref", "#/definitions/" + name}};
}

Json text(const char* pattern = "") {
  Json schema{{"type", {"string", "number"}}};
  if (*pattern != '\0') schema["pattern"] = pattern;
  return schema;
}

Json list_of(Json items) {
  return {{"type", {"array", "null"}}, {"items", std::move(items)}};
}

// The patterns match launcher/blueprint/names.h.
constexpr const char* label = "^[a-z0-9_\\-\\u0080-\\uffff]{1,63}$";
constexpr const char* deployment_name =  // or an expression
    "^(?=.*[a-z])[a-z0-9_\\u0080-\\uffff][a-z0-9_\\-\\u0080-\\uffff]{0,62}$|"
    "\\$\\(|^\\(\\(";
constexpr const char* group_name = "^[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?$";
constexpr const char* module_id = "^(?!vars$)[A-Za-z_][A-Za-z0-9_-]*$";

Json variables() {
  const Json any_text{{"type", {"string", "number", "boolean", "null"}}};
  return {
      {"type", {"object", "null"}},
      {"properties",
       {{"deployment_name", described({{"type", {"string", "null"}}, {"pattern", deployment_name}},
                                      "Names the cluster and all that belongs to it.")},
        {"project_id", described(any_text, "The project in Google Cloud.")},
        {"region", described(any_text, "The region of networks and file systems.")},
        {"zone", described(any_text, "The zone of machines.")},
        {"labels", described({{"type", {"object", "string", "null"}}},
                             "Labels of everything that is made; Slipway adds two.")}}},
      {"description",
       "Variables. A module takes those that have the names of its settings; `$(vars.NAME)` stands "
       "for one in any text."}};
}

Json backend() {
  return described({{"type", {"object", "null"}},
                    {"properties",
                     {{"type", {{"enum", blueprint::backend_types()}}},
                      {"configuration", {{"type", {"object", "null"}}}}}},
                    {"required", {"type"}},
                    {"additionalProperties", false}},
                   "Where Terraform keeps its state.");
}

Json validator() {
  return keys({{"validator", {{"enum", blueprint::validator_names()}}},
               {"inputs", {{"type", {"object", "null"}}}},
               {"skip", {{"type", "boolean"}, {"description", "Skip this check."}}}},
              {"validator"});
}

Json providers() {
  Json provider = keys(
      {{"source", text()}, {"version", text()}, {"configuration", {{"type", {"object", "null"}}}}},
      {"source", "version"});
  return described({{"type", {"object", "null"}}, {"additionalProperties", std::move(provider)}},
                   "Terraform providers that replace Google's.");
}

Json machines() {
  const Json ssh = keys({{"user", text()},
                         {"port", {{"type", "integer"}, {"minimum", 1}, {"maximum", 65535}}},
                         {"identity_file", text()},
                         {"options", list_of(text())}});
  const Json hosts{{"type", "object"},
                   {"additionalProperties", {{"anyOf", {text(), list_of(text())}}}}};
  return described(keys({{"ssh", ssh},
                         {"packages", described(text(), "The folder with Slipway's packages.")},
                         {"hosts", described(hosts, "Host lists by the id of their module.")}},
                        {"hosts"}),
                   "The machines that the cluster runs on, if they exist already.");
}

// `outputs` of a module, or of any module if `names` is null.
Json outputs(const Json& names) {
  Json name = text();
  if (!names.is_null()) name["enum"] = names;
  return list_of(
      {{"anyOf",
        {name, keys({{"name", name}, {"description", text()}, {"sensitive", {{"type", "boolean"}}}},
                    {"name"})}}});
}

Json sources(const std::vector<const Interface*>& library) {
  Json paths = Json::array(), abouts = Json::array();
  for (const Interface* interface : library) {
    paths.push_back(interface->path);
    abouts.push_back(interface->about);
  }
  return {
      {"description",
       "A module of the library, or where a Terraform module is: a folder (./…), a Git "
       "repository, a registry."},
      {"anyOf",
       {{{"enum", std::move(paths)}, {"enumDescriptions", std::move(abouts)}},
        {{"type", "string"}, {"minLength", 1}, {"not", {{"pattern", "^(community/)?modules/"}}}}}}};
}

std::string definition_of(const Interface& interface) {
  std::string name = interface.path;
  std::replace(name.begin(), name.end(), '/', '.');
  return name;
}

Json settings(const Interface& interface) {
  Json properties = Json::object();
  for (const modules::Input& input : interface.inputs) properties[input.name] = input_schema(input);
  return {{"type", {"object", "null"}},
          {"description", interface.about},
          {"properties", std::move(properties)},
          {"additionalProperties", false}};
}

// Constrains settings and outputs by the module's source.
Json when(const Interface& interface) {
  Json names = Json::array();
  for (const modules::Output& output : interface.outputs) names.push_back(output.name);
  Json then{{"settings", definition(definition_of(interface))}};
  then["outputs"] = names.empty() ? Json{{"maxItems", 0}} : outputs(names);
  return {
      {"if", {{"properties", {{"source", {{"const", interface.path}}}}}, {"required", {"source"}}}},
      {"then", {{"properties", std::move(then)}}}};
}

Json module(const std::vector<const Interface*>& library) {
  Json schema = keys(
      {{"id", described({{"type", "string"}, {"pattern", module_id}},
                        "The name by which other modules use this one.")},
       {"source", sources(library)},
       {"kind", described({{"enum", {"terraform", "packer"}}},
                          "What makes it; the module knows it itself.")},
       {"use", described(list_of(text()),
                         "Ids of modules whose outputs become the settings of the same names.")},
       {"depends_on", described(list_of(text()), "Ids of modules that must be made before.")},
       {"when", described({{"type", {"boolean", "string"}}},
                          "Whether the module is there, as an expression over variables.")},
       {"for_each", described({{"type", {"array", "object", "string"}}},
                              "A list or a mapping: the module is made once for each of its items, "
                              "which are `each.key` and `each.value`.")},
       {"settings", described({{"type", {"object", "null"}}}, "The module's inputs.")},
       {"outputs", described(outputs(nullptr), "Outputs to show after deployment.")},
       {"required_apis", described({{"type", {"object", "null"}}}, "Accepted and not read.")},
       {"wrapsettingswith", described({{"type", {"object", "null"}}}, "Accepted and not read.")}},
      {"id", "source"});
  schema["allOf"] = Json::array();
  for (const Interface* interface : library) schema["allOf"].push_back(when(*interface));
  return schema;
}

Json group() {
  Json modules = list_of(definition("module"));
  modules["type"] = "array";
  modules["minItems"] = 1;
  return keys({{"group", described(text(group_name), "Names the group and its folder.")},
               {"modules", described(modules, "The modules of the group, in order.")},
               {"terraform_backend", definition("backend")},
               {"terraform_providers", providers()},
               {"kind", {{"enum", {"terraform", "packer"}}}}},
              {"group", "modules"});
}

}  // namespace

Json blueprint_schema(const std::vector<const Interface*>& library) {
  Json groups{{"type", "array"}, {"items", definition("group")}, {"minItems", 1}};
  Json schema{{"$schema", "http://json-schema.org/draft-07/schema#"},
              {"title", "A blueprint of Slipway"}};
  schema.update(keys(
      {{"blueprint_name", described(text(label), "Names the blueprint; becomes a label.")},
       {"ghpc_version", described(text(), "Accepted and not read.")},
       {"vars", variables()},
       {"deployment_groups", described(groups, "Groups of modules, deployed one after the other.")},
       {"validators", described(list_of(definition("validator")), "Checks to skip or to add.")},
       {"validation_level",
        described({{"enum", {0, 1, 2}}},
                  "What the findings of validators are: 0 errors, 1 warnings, 2 nothing.")},
       {"include", described(list_of(text()),
                             "Blueprints whose variables and groups come before those of this one; "
                             "paths are relative to this file.")},
       {"settings",
        described({{"type", {"object", "null"}}, {"additionalProperties", {{"type", "object"}}}},
                  "Settings of included modules by their ids, over the settings there.")},
       {"machines", machines()},
       {"terraform_backend_defaults", definition("backend")},
       {"terraform_providers", providers()},
       {"toolkit_modules_url", text()},
       {"toolkit_modules_version", text()}},
      {"blueprint_name"}));
  schema["anyOf"] = {{{"required", {"deployment_groups"}}}, {{"required", {"include"}}}};
  Json definitions{{"backend", backend()},
                   {"validator", validator()},
                   {"group", group()},
                   {"module", module(library)}};
  for (const Interface* interface : library) {
    definitions[definition_of(*interface)] = settings(*interface);
  }
  schema["definitions"] = std::move(definitions);
  return schema;
}

}  // namespace slipway::commands
