// munge credentials. libmunge is loaded when it is needed, since nodes may not have it.
#pragma once

#include <string>

namespace slipway::bandwidth {

// Makes a credential that munged decodes for processes of this user only, on every node with the
// same munge key. Both functions throw Error with munge's reason.
std::string seal_with_munge(const std::string& secret);
// Also throws Error if another user made the credential.
std::string open_with_munge(const std::string& credential);

}  // namespace slipway::bandwidth
