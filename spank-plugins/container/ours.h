// Recognizes the variables that a task got from us. A batch script in a container passes its own
// on to its steps, which have another port, size and first host.
#pragma once

#include <string>

#include "spank-plugins/container/environment.h"

namespace slipway::container {

inline constexpr const char* ours_marker = "SLIPWAY_CONTAINER_SET";

// The marker's value: NAME=VALUE words, which are numbers and hosts.
std::string list_of_ours(const Environment& ours);

// The environment without those that the marker lists and nobody has changed.
Environment without_ours(Environment environment);

}  // namespace slipway::container
