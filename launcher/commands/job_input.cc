// The script of `slipway job show` and its siblings, and how it was submitted.
#include "launcher/commands/job_input.h"

#include <fmt/core.h>

#include "common/error.h"

namespace slipway::commands {

void JobInput::add_options(CommandLine& line) {
  line.positional("SCRIPT", &script);
  line.rest("ARG...", &arguments, Arity::optional);
  line.option("env", "NAME=VALUE",
              "a variable that the script takes from its environment; may be given several times",
              &variables);
}

std::map<std::string, std::string> variables_of(const JobInput& input) {
  std::map<std::string, std::string> variables;
  for (const std::string& assignment : input.variables) {
    const size_t equals = assignment.find('=');
    if (equals == 0 || equals == assignment.npos) {
      throw UsageError(fmt::format("--env takes NAME=VALUE, not `{}`", assignment));
    }
    variables[assignment.substr(0, equals)] = assignment.substr(equals + 1);
  }
  return variables;
}

job_script::JobScript load_job(const JobInput& input, source::Sources& sources,
                               source::Diagnostics& diagnostics) {
  job_script::WalkInput walk;
  walk.environment = variables_of(input);
  const std::filesystem::path path = input.script;
  walk.script = sources.add_file(path);
  walk.folder = path.parent_path();
  walk.arguments = input.arguments;
  return job_script::read_job(path.filename(), walk, sources, diagnostics);
}

}  // namespace slipway::commands
