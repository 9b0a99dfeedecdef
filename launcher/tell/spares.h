// How a job's launcher lets the cluster's administrators know that no spare node is left: in the
// comment of the job, which its user may write. The service that tells people reads it, and
// believes one number of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace slipway::tell {

// The user's own comment, with a note at its end.
std::string with_spares_note(std::string_view comment, int64_t blamed);

// How many nodes were blamed, if a comment has such a note.
std::optional<int64_t> blamed_in(std::string_view comment);

}  // namespace slipway::tell
