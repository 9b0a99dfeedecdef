// Prints a duration for people.
#pragma once

#include <string>

namespace slipway::commands {

// "45.2 s", "2.5 min", "3.1 h", "12.0 days".
std::string duration_text(double seconds);

}  // namespace slipway::commands
