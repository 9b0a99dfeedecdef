// What a shell offers for the word at the cursor, from the description of a command line.
//
//   PROGRAM __complete WORD... CURRENT
//
// has the words after the program's name up to the cursor; the last one may be empty. Each line of
// the answer is a candidate for it, with a tab and a description where there is one. `:file`,
// `:folder`, `:command` and `:user` ask the shell to add its own candidates. The scripts in
// scripts/completion ask in this way.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/command_description.h"

namespace slipway {

inline constexpr std::string_view completion_word = "__complete";

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
using CandidateSource = std::function<std::vector<Candidate>(const std::string& value_name,
                                                             const CompletionContext& context)>;

// Those that need no more than the name: choices, and what the shell knows.
std::vector<Candidate> plain_candidates(const std::string& value_name);

// The candidates for `current`, which follows the words `before` of this command line.
std::vector<Candidate> complete(const CommandDescription& description,
                                std::span<const std::string> before, const std::string& current,
                                const CandidateSource& source);

// Prints those that `current` begins.
void print_candidates(const std::vector<Candidate>& candidates, const std::string& current);

}  // namespace slipway
