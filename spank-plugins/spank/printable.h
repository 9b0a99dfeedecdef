// Makes text of users, jobs and images safe to print.
#pragma once

#include <string>

namespace slipway::spank {

// Escapes control characters, which must not reach a terminal or break a line.
std::string printable(const std::string& text);

}  // namespace slipway::spank
