// What a word of the command line could be: files, deployments, nodes, modules, …
#pragma once

#include <string>
#include <vector>

namespace slipway::commands {

struct Candidate {
  std::string text;        // or ":file", ":folder", ":command", ":user": the shell's own candidates
  std::string about = {};  // one line, may be empty
};

// Where a word is expected.
struct CompletionContext {
  std::string program;             // "slipway exec"
  std::vector<std::string> words;  // the words without dashes before it
  std::string current;             // what is typed so far
};

// The candidates for a value or word of this name (command_description.h), whatever `current` is.
// Throws Error when what they come from cannot be read.
std::vector<Candidate> candidates(const std::string& value_name, const CompletionContext& context);

}  // namespace slipway::commands
