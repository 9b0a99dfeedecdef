// A shell script as a tree of its commands: as much of bash as job scripts are written in.
//
// The tree has places, not texts: shell_value.h says what a word means. What this reader does not
// know, such as arithmetic, it skips.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace slipway::job_script {

// Bytes of the script.
struct Range {
  size_t begin = 0, end = 0;
  std::string_view of(std::string_view text) const { return text.substr(begin, end - begin); }
};

struct ShellAssignment {
  std::string name;
  bool append = false;       // NAME+=
  bool is_list = false;      // NAME=(…)
  std::vector<Range> words;  // the value, or those of a list
  Range place;
};

struct ShellCommand {
  enum class Kind {
    simple,       // assignments and words
    conditional,  // if `condition`; then `body`; else `otherwise`
    loop,         // `condition` and `body`, any number of times
    choice,       // case: any part of `body`
    group,        // `body`, in braces or parentheses
    function,     // `body`, under `name`
  };
  Kind kind = Kind::simple;
  std::vector<ShellAssignment> assignments;
  std::vector<Range> words;
  std::vector<ShellCommand> condition, body, otherwise;
  std::string name;  // of a function, or the variable of a loop
  Range place;
  bool negated = false;  // after `!`
  bool in_background = false;
  bool after_and_or = false;  // runs only if the command before it succeeded, or failed
};

struct ShellScript {
  std::vector<ShellCommand> commands;
  // Where the script stops to make sense, such as at an unclosed quote; else its size.
  size_t understood = 0;
};

// Reads `text` from `begin` on.
ShellScript read_shell(std::string_view text, size_t begin = 0);

}  // namespace slipway::job_script
