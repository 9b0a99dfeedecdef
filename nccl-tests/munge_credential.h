// munge, where a node has it: the library is loaded when it is wanted.
#pragma once

#include <string>

namespace slipway::bandwidth {

// A text that munged shows to processes of our own user only, on every node with the same key of
// munge's. Both throw Error with munge's reason.
std::string seal_with_munge(const std::string& secret);
// Throws Error, too, when another user has made it.
std::string open_with_munge(const std::string& credential);

}  // namespace slipway::bandwidth
