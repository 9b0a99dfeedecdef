// `slipway explain E0203`: the page of a diagnostic.
#pragma once

#include <string>

namespace slipway::commands {

// Whether the word is a diagnostic's code, "E0203" or "e0203", whether or not there is one.
bool is_code(const std::string& word);

// Prints its page. `more` must be empty: a code is not followed by anything. Throws UsageError, and
// Error for a code that does not exist.
int explain_code(const std::string& code, const std::string& more);

}  // namespace slipway::commands
