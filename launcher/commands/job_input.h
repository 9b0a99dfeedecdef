// The script of `slipway job show` and its siblings, and how it was submitted.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "common/command_line.h"
#include "launcher/job_script/job.h"

namespace slipway::commands {

struct JobInput {
  std::string script;
  std::vector<std::string> variables;  // NAME=VALUE
  std::vector<std::string> arguments;

  void add_options(CommandLine& line);
};

// The variables by name. Throws UsageError for a bad NAME=VALUE.
std::map<std::string, std::string> variables_of(const JobInput& input);

// Reads the script. Throws Error if the file cannot be read, UsageError for a bad NAME=VALUE.
job_script::JobScript load_job(const JobInput& input, source::Sources& sources,
                               source::Diagnostics& diagnostics);

}  // namespace slipway::commands
