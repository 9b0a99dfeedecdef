// What a job script does, found without running it: the steps that it starts, the variables that it
// exports and reads, the images that it imports.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/job_script/shell_value.h"
#include "launcher/source/sources.h"

namespace slipway::job_script {

struct ScriptWord {
  ShellValue value;
  source::Span place;
};

// A command of the script that matters to others: a step, or a program that only Slurm has.
struct ScriptCommand {
  std::vector<ScriptWord> words;  // the first is the program: "srun"
  source::Span place;             // of the command in the file that contains it
  source::Span called_at;         // of the function's call or the file's sourcing; may be empty
  std::map<std::string, ShellValue> environment;  // NAME=VALUE before it
  bool conditional = false;                       // it may not run
  bool repeated = false;                          // it is in a loop
  bool in_background = false;

  // Where the script starts it: the call, if a function or sourced file contains it.
  source::Span called_place() const { return called_at ? called_at : place; }
};

struct Exported {
  std::string name;
  ShellValue value;
  source::Span place;
  bool conditional = false;
  bool is_removal = false;  // unset
};

// ${NAME:-…} of a variable that the script does not set: the person who submits it can.
struct Parameter {
  std::string name;
  ShellValue otherwise;
  source::Span place;
};

// An image of a registry that the script writes to a file.
struct Import {
  ShellValue file, image;
  source::Span place;
};

struct Walked {
  std::vector<ScriptCommand> steps;     // srun, or `slipway launch`
  std::vector<ScriptCommand> programs;  // all others, except those of every shell
  std::vector<Exported> exports;
  std::vector<Parameter> parameters;
  std::vector<Import> imports;
  std::vector<source::Span> not_read;        // names of sourced files that are not here
  std::vector<source::Span> not_understood;  // from here on, it makes no sense
};

struct WalkInput {
  source::Span script;           // all of it, in the sources
  std::filesystem::path folder;  // of the script: sourced files may be beside it
  std::map<std::string, std::string> environment;
  std::vector<std::string> arguments;
};

Walked walk(const WalkInput& input, source::Sources& sources);

}  // namespace slipway::job_script
