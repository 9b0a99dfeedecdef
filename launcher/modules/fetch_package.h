// Runs the programs that download a module package.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "common/process.h"
#include "launcher/modules/module_source.h"

namespace slipway::modules {

// Runs a program so that it never asks on the terminal, ignores the git settings of the current
// repository, and uses only protocols that a repository cannot turn into a command.
ProcessResult run_without_questions(std::vector<std::string> argv,
                                    std::chrono::milliseconds deadline);

// Downloads the files of a commit to the empty `folder`, without history and submodules. Throws
// Error.
void fetch_with_git(const ModuleSource& source, const std::filesystem::path& folder,
                    std::chrono::milliseconds deadline);

// Downloads the package with Terraform's getter to a place in the empty `folder`, and returns that
// place. Throws Error.
std::filesystem::path fetch_with_terraform(const ModuleSource& source,
                                           const std::filesystem::path& folder,
                                           std::chrono::milliseconds deadline);

}  // namespace slipway::modules
