// What srun says to a user of HyperPod's --auto-resume.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace slipway::auto_resume {

// Of `srun --auto-resume`, as `srun --help` and the reference show it.
inline constexpr const char* option_name = "auto-resume";
inline constexpr const char* option_values = "0|1";
inline constexpr const char* option_help =
    "accepted from scripts for SageMaker HyperPod: 1 prints the line that restarts the step after "
    "a "
    "failure, `slipway launch`; nothing else changes";

// Whether the value asks for it. Throws Error unless it is 0 or 1.
bool parse_choice(std::string_view text);

// The lines for srun's user. Empty if the step already runs `slipway launch`.
std::vector<std::string> advice(const std::vector<std::string>& command);

}  // namespace slipway::auto_resume
