// The commands that start tasks: srun, and `slipway launch`.
#pragma once

#include <vector>

#include "launcher/job_script/job.h"
#include "launcher/job_script/options.h"

namespace slipway::job_script {

// The options at the beginning of `words`, and the number of words that they are. Reports those
// that the program does not have (E0601).
size_t read_options_of(SlurmProgram program, const std::vector<ScriptWord>& words,
                       std::vector<ScriptOption>& options, source::Diagnostics& diagnostics);

JobStep read_step(ScriptCommand command, source::Diagnostics& diagnostics);

// The last one of this name, or nullptr.
const ScriptOption* find_option(const std::vector<ScriptOption>& options, std::string_view name);

}  // namespace slipway::job_script
