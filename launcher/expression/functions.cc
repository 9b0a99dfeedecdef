// The table of all functions, including those that are left to Terraform. They work as Terraform's
// functions of the same name: https://developer.hashicorp.com/terraform/language/functions
#include "launcher/expression/functions.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "launcher/expression/arguments.h"

namespace slipway::expression {
namespace {

// Not in Terraform: true unless the value is null, false, 0 or empty.
Result is_set(const List& arguments) {
  const Value& value = arguments[0];
  if (value.is_unknown()) return std::nullopt;
  if (const auto* list = value.as<List>()) return !list->empty();
  if (const auto* object = value.as<Object>()) return !object->empty();
  return !(value.is_null() || value == Value(false) || value == Value(0) || value == Value(""));
}

// Not in Terraform: true if the value is certainly null. An unknown value counts as not null.
Result is_null(const List& arguments) {
  return Value(arguments[0].is_null());
}

// Not in Terraform, for the `model` of module files: the id of the module whose output a value is;
// for a list, that of its first value that is an output; otherwise null.
Result module_of(const List& arguments) {
  const auto* list = arguments[0].as<Value::List>();
  for (const Value& value : list == nullptr ? arguments : *list) {
    const auto* unknown = value.as<Unknown>();
    if (unknown != nullptr && !unknown->module.empty()) return Value(unknown->module);
  }
  return Value();
}

constexpr std::array ours = std::to_array<Function>({
    {"is_null", "any|null", is_null, Takes::shapes},
    {"is_set", "any|null", is_set, Takes::shapes},
    {"module_file", "string", nullptr, Takes::expressions},
    {"module_of", "any|null", module_of, Takes::shapes},
});

// Left to Terraform: they depend on time, chance, files or the machine that it runs on.
constexpr std::array deferred = std::to_array<Function>({
    {"abspath", "string"},
    {"base64gzip", "string"},
    {"bcrypt", "string, number?"},
    {"file", "string"},
    {"filebase64", "string"},
    {"filebase64sha256", "string"},
    {"filebase64sha512", "string"},
    {"fileexists", "string"},
    {"filemd5", "string"},
    {"fileset", "string, string"},
    {"filesha1", "string"},
    {"filesha256", "string"},
    {"filesha512", "string"},
    {"pathexpand", "string"},
    {"plantimestamp", ""},
    {"rsadecrypt", "string, string"},
    {"templatefile", "string, any"},
    {"timestamp", ""},
    {"uuid", ""},
});

const std::unordered_map<std::string_view, Function>& all() {
  static const auto functions = [] {
    std::unordered_map<std::string_view, Function> functions;
    for (const auto theme :
         {numeric_functions(), string_functions(), regex_functions(), format_functions(),
          collection_functions(), list_functions(), set_functions(), encoding_functions(),
          yaml_functions(), hash_functions(), address_functions(), type_functions(),
          date_functions(), std::span<const Function>(ours), std::span<const Function>(deferred)}) {
      for (const Function& function : theme) functions.emplace(function.name, function);
    }
    return functions;
  }();
  return functions;
}

}  // namespace

const Function* find_function(std::string_view name) {
  if (name.starts_with("core::")) name.remove_prefix(6);
  const auto found = all().find(name);
  return found == all().end() ? nullptr : &found->second;
}

bool is_provider_function(std::string_view name) {
  if (!name.starts_with("provider::")) return false;
  name.remove_prefix(10);
  const size_t colons = name.find("::");
  return colons != std::string_view::npos && name.find("::", colons + 2) == std::string_view::npos;
}

bool is_terraform_function(std::string_view name) {
  const Function* function = find_function(name);
  if (function == nullptr) return is_provider_function(name);
  return function->apply == nullptr && function->takes != Takes::expressions;
}

std::vector<std::string> function_names() {
  std::vector<std::string> names;
  for (const auto& [name, function] : all()) names.emplace_back(name);
  std::ranges::sort(names);
  return names;
}

}  // namespace slipway::expression
