// The programs that download a package.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "common/process.h"
#include "launcher/modules/module_source.h"

namespace slipway::modules {

// Runs a program that asks nothing on the terminal, does not see the settings of a repository that
// we may be called in, and speaks only protocols that no repository can turn into a command.
ProcessResult run_without_questions(std::vector<std::string> argv,
                                    std::chrono::milliseconds deadline);

// Puts the files of a commit into the empty `folder`, without history and submodules. Throws Error.
void fetch_with_git(const ModuleSource& source, const std::filesystem::path& folder,
                    std::chrono::milliseconds deadline);

// Has Terraform's getter download the package somewhere into the empty `folder`; returns where.
// Throws Error.
std::filesystem::path fetch_with_terraform(const ModuleSource& source,
                                           const std::filesystem::path& folder,
                                           std::chrono::milliseconds deadline);

}  // namespace slipway::modules
