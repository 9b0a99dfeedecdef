// Verbs that have parts: `slipway node boot`.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "launcher/commands/commands.h"

namespace slipway::commands {

struct Part {
  const char* name;
  int (*run)(Args args);  // with what stands behind its name
};

struct Verb {
  std::string name;   // "slipway node"
  std::string about;  // for --help
  std::vector<Part> parts;
  std::vector<std::pair<std::string, std::string>> examples;  // what to type, and why
};

// Runs the part that the first argument names. Throws UsageError when it names none.
int run_part(const Verb& verb, Args args);

}  // namespace slipway::commands
