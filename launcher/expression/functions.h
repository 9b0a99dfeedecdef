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
  std::string_view name;
  size_t least = 0;  // number of arguments
  size_t most = 0;
  bool takes_unknown = false;  // it can say something about arguments that are not wholly known
  // No value: it depends on what is unknown. Throws Error with what is wrong with the arguments.
  std::optional<Value> (*apply)(const Value::List& arguments) = nullptr;
};

const Function* find_function(std::string_view name);  // nullptr: there is none

// True for a function that Terraform, or a later stage, has and that is not evaluated here.
bool is_terraform_function(std::string_view name);
std::vector<std::string> terraform_function_names();

// Every function that an expression may call.
std::vector<std::string> function_names();

}  // namespace slipway::expression
