// The variables by which training frameworks find each other: reads the catalog's frameworks.yaml.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "launcher/job/rendezvous.h"

namespace slipway::source {
class Diagnostics;
class Sources;
}  // namespace slipway::source

namespace slipway::job {

// A variable of a framework. In `value`, words in braces are filled in: value_words().
struct FrameworkVariable {
  std::string name;
  std::string value;
  std::string source;       // where the framework documents it
  bool yours_wins = false;  // a value of the job's environment stays
};

struct Framework {
  std::string name;
  std::string what;
  bool of_slurm = false;                // Slurm itself sets its variables, for the whole job
  std::string argument;                 // of the commands that it applies to; empty: all
  std::vector<std::string> instead_of;  // frameworks that do not apply then
  std::vector<std::string> wants;       // variables of other frameworks, or of Slurm
  std::vector<FrameworkVariable> variables;
  std::string source;  // if it has no variables of its own
  std::string note;
};

// The words that the catalog may put in braces.
std::vector<std::string> value_words();

// A word in braces, and what it becomes.
using ValueWord = std::pair<const char*, std::string>;
std::string fill_in(std::string text, const std::vector<ValueWord>& words);

// The value of a variable for a task, or for all tasks of an attempt: empty then if tasks differ.
std::string value_for_task(const std::string& value, const World& world, const Place& place);
std::optional<std::string> value_for_all(const std::string& value, const World& world);

// The frameworks that apply to a command, in the catalog's order. `name`: one that the user chose,
// or empty. Throws UsageError if it is unknown, with the nearest name.
std::vector<Framework> frameworks_of(const std::vector<Framework>& all,
                                     const std::vector<std::string>& command,
                                     const std::string& name);

// The variables that the launcher sets for the tasks of a job: those of its frameworks, without
// those that the user's values win over.
class TaskVariables {
 public:
  // Looks up a variable in the environment of the job; empty: not set.
  using Lookup = std::function<std::optional<std::string>(const std::string& name)>;

  TaskVariables() = default;
  TaskVariables(std::vector<Framework> frameworks, const Lookup& users);

  Variables for_all(const World& world) const;
  Variables for_task(const World& world, const Place& place) const;

  // What the user has to know: values of theirs that are kept or replaced, a line each.
  std::vector<std::string> notes(const World& world) const;

  // The table of `slipway launch --explain`.
  std::string table(const World& world) const;

 private:
  struct Row {
    FrameworkVariable variable;
    std::string framework;
    std::optional<std::string> users;  // the value that the job's environment has
    bool kept() const { return variable.yours_wins && users && !users->empty(); }
  };

  std::vector<Framework> frameworks_;
  std::vector<Row> rows_;
};

// Reads frameworks.yaml in `folder` (<blueprints>/catalogue) into `sources`. Reports errors in it
// to `diagnostics`, which must use the same sources. Throws Error if the file cannot be read.
std::vector<Framework> load_frameworks(const std::filesystem::path& folder,
                                       source::Sources& sources, source::Diagnostics& diagnostics);

// Reads this installation's catalog. Throws Error with everything that is wrong in it.
std::vector<Framework> installed_frameworks();

}  // namespace slipway::job
