// What the words of a shell script mean, as far as that is known before it runs.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/job_script/shell.h"

namespace slipway::job_script {

// A text, in which parts that only the running script knows keep their spelling: "$HOME/images".
struct ShellValue {
  std::string text;
  std::vector<std::string> unknown;  // the variables that it depends on; "$(…)" for a command

  bool is_known() const { return unknown.empty(); }
};

// A variable that the script takes from its environment: ${IMAGE:-image.sqsh}.
struct ShellParameter {
  std::string name;
  ShellValue otherwise;  // its value without one
  size_t at = 0;         // where it is read
};

class ShellVariables {
 public:
  // `environment`: what the script inherits. Variables of Slurm and of the login are unknown
  // without a value there; others are not set.
  explicit ShellVariables(std::map<std::string, std::string> environment);

  void set(const std::string& name, std::vector<ShellValue> items, bool append);
  void forget(const std::string& name);  // it may have any value
  void unset(const std::string& name);

  enum class State { unset, known, unknown };
  State find(const std::string& name, std::vector<ShellValue>& items) const;

  std::vector<ShellValue> positional;      // of the script or function: $1, $2, …
  std::vector<ShellParameter> parameters;  // what the words so far have read
  size_t base = 0;                         // added to places in `parameters`

 private:
  struct Variable {
    std::vector<ShellValue> items;
    State state = State::known;
  };
  std::map<std::string, Variable> variables_;
};

// The words that a word of `text` becomes: none for an empty expansion without quotes, several for
// "$@" and for lists.
std::vector<ShellValue> expand(std::string_view text, Range word, ShellVariables& variables);

// The same as one value, as in an assignment.
ShellValue expand_to_one(std::string_view text, Range word, ShellVariables& variables);

}  // namespace slipway::job_script
