// This process's environment.
#pragma once

#include <cstdlib>
#include <string>

namespace slipway {

// A variable's value; empty also if it is not set.
inline std::string environment_variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace slipway
