// What single commands of a job script mean.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/job_script/walk.h"

namespace slipway::job_script {

// Whether the commands of a condition succeed, if that is known before the script runs.
std::optional<bool> result_of(const std::vector<ShellCommand>& condition, std::string_view text,
                              ShellVariables& variables);

// Drops `exec`, `env`, `timeout 60` and their like before a command.
void strip_wrappers(std::vector<ScriptWord>& words);

bool is_step(const std::vector<ScriptWord>& words);

// Of `enroot import` and `slipway container import`.
std::optional<Import> import_of(const ScriptCommand& command);

// The variables that `read`, `mapfile` or `printf -v` set.
std::vector<std::string> variables_read_by(const std::vector<ScriptWord>& words);

// Builtins, and programs that every machine has.
bool is_of_every_shell(std::string_view name);

// The end of the expansion with which `text` begins.
size_t end_of_expansion_in(std::string_view text);

// "srun" for "/usr/bin/srun".
std::string_view base_name(std::string_view path);

}  // namespace slipway::job_script
