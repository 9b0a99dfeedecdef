// The functions that expressions can call.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/expression/value.h"

namespace slipway::expression {

struct Function {
  // How it deals with arguments that are not wholly known, and with marks of sensitive().
  enum class Takes {
    values,       // it is asked when every argument is wholly known; its result has their marks
    shapes,       // it can say something about parts, and its result has the marks of the wholes
    marks,        // as shapes, and it makes the marks itself
    expressions,  // it is evaluated where calls are: try, can
  };

  std::string_view name;
  // Types as Terraform writes them, `|null` where null may stand, `?` what can be left out, `...`
  // any number: "string, any|null...".
  std::string_view parameters;
  // No value: it depends on what is unknown. Throws Error with what is wrong with the arguments.
  // Null: the function is left to Terraform.
  std::optional<Value> (*apply)(const Value::List& arguments) = nullptr;
  Takes takes = Takes::values;
};

// A name with `core::` is that without; nullptr: there is no such function.
const Function* find_function(std::string_view name);

// provider::x::f, which only Terraform can know.
bool is_provider_function(std::string_view name);

// The number of arguments that a function takes.
struct Arity {
  size_t least = 0;
  size_t most = 0;  // the largest number there is: no end
};
Arity arity(const Function& function);
std::string to_text(const Arity& arity);  // "2 arguments", "1 to 3 arguments"

// The arguments as the parameters want them. Throws ArgumentError.
Value::List converted_arguments(const Function& function, Value::List arguments);

// True for a function that Terraform, or a later stage, has and that is not evaluated here.
bool is_terraform_function(std::string_view name);

// Every function that an expression may call.
std::vector<std::string> function_names();

// The functions by theme.
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
