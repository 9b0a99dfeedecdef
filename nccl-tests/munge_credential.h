// munge credentials, on nodes that have munge: its library is loaded when it is needed.
#pragma once

#include <string>

namespace slipway::bandwidth {

// Makes a credential that munged opens for processes of our own user only, on every node with the
// same munge key. Both functions throw Error with munge's reason.
std::string seal_with_munge(const std::string& secret);
// Throws Error, too, when another user has made it.
std::string open_with_munge(const std::string& credential);

}  // namespace slipway::bandwidth
