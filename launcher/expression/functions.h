// The functions that expressions can call.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/expression/value.h"
#include "launcher/source/yaml.h"

namespace slipway::expression {

struct Function {
  // How it handles arguments that are partly unknown or marked as sensitive.
  enum class Takes {
    values,       // called only if all arguments are known; the result gets their sensitivity
    shapes,       // also called with partly unknown arguments
    marks,        // as `shapes`, and sets the sensitivity of its result itself
    expressions,  // gets unevaluated arguments: try, can; see evaluate_calls.cc
  };

  std::string_view name;
  // Types in Terraform's notation, followed by `|null` if null is allowed, `?` if the argument is
  // optional and `...` if it can be repeated: "string, any|null...".
  std::string_view parameters;
  // Returns nothing if the result depends on something unknown. Throws Error for bad arguments.
  // Null if only Terraform can evaluate the function.
  std::optional<Value> (*apply)(const Value::List& arguments) = nullptr;
  Takes takes = Takes::values;
};

// Ignores the prefix `core::`. nullptr if the function does not exist.
const Function* find_function(std::string_view name);

// True for provider::x::f, a function that only Terraform can evaluate.
bool is_provider_function(std::string_view name);

// The number of arguments that a function takes.
struct Arity {
  size_t least = 0;
  size_t most = 0;  // the maximum of size_t if there is no limit
};
Arity arity(const Function& function);
std::string to_text(const Arity& arity);  // "2 arguments", "1 to 3 arguments"

// The arguments converted to the types of the parameters. Throws ArgumentError.
Value::List converted_arguments(const Function& function, Value::List arguments);

// True for a function that is left to Terraform or to a later stage.
bool is_terraform_function(std::string_view name);

// Whether yamldecode() knows the value of a text without parsing it, and tells it the tree of one:
// the library's tables are prepared.
bool knows_yaml(const std::string& text);
void know_yaml(const std::string& text, const source::Node& tree);

// Every function that an expression may call.
std::vector<std::string> function_names();

// The functions by topic.
std::span<const Function> numeric_functions();
std::span<const Function> string_functions();
std::span<const Function> regex_functions();
std::span<const Function> format_functions();
std::span<const Function> collection_functions();
std::span<const Function> list_functions();
std::span<const Function> set_functions();
std::span<const Function> encoding_functions();
std::span<const Function> yaml_functions();
std::span<const Function> hash_functions();
std::span<const Function> address_functions();
std::span<const Function> type_functions();
std::span<const Function> date_functions();

}  // namespace slipway::expression
