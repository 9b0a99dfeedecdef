// The programs that images are made with, and what their failures mean.
#pragma once

#include <string>
#include <vector>

namespace slipway::container {

// Throws Error, with how to install it, unless the program is in PATH.
void require_tool(const std::string& program, const std::string& package);

// Runs a tool until it ends and returns what it printed. `what` is what it does, for the error:
// "fetch docker://…". Throws Error with the cause, if it is one that people meet: no network, no
// such image, no rights, a full disk in `folder`. Else with the tool's last line.
std::string run_tool(const std::vector<std::string>& argv, const std::string& what,
                     const std::string& folder);

// The cause that a tool's messages name, and what to do; otherwise its last line.
std::string cause_of(const std::string& messages, const std::string& folder);

}  // namespace slipway::container
