// Times as text, always in UTC.
#pragma once

#include <ctime>
#include <string>

namespace slipway {

// "2026-11-21T12:00:00Z". `between` is the character between date and time: a space for people.
std::string utc_text(std::time_t time, char between = 'T');

}  // namespace slipway
