// Verbs with parts: `slipway node boot`.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "common/command_line.h"
#include "launcher/commands/commands.h"

namespace slipway::commands {

struct Part {
  const char* name;
  int (*run)(Args args);  // with what follows its name
};

struct Verb {
  std::string name;  // "slipway node"
  std::string summary;
  std::string about;
  std::vector<Part> parts;
  std::vector<std::pair<std::string, std::string>> examples;  // what to type, and why
};

// Runs the part that the first argument names. Throws UsageError when there is no such part.
int run_part(const Verb& verb, Args args);

// Adds a part, with its own summary, to the description of a verb that also works without one.
void add_part(CommandLine& line, const Part& part, bool needed);

}  // namespace slipway::commands
