// Shows what formatting or another edit changes, as `diff -u` does.
#pragma once

#include <string>
#include <string_view>

namespace slipway::editor {

// The difference between a text and the same text formatted: lines stay in their order, and only
// empty ones at both ends are missing. Empty if there is none. `patch` and `git apply` take it.
std::string unified_diff(std::string_view before, std::string_view after, std::string_view name);

// The same for two texts whose lines may be added, removed and changed anywhere.
std::string line_diff(std::string_view before, std::string_view after, std::string_view name);

}  // namespace slipway::editor
