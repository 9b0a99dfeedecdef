// Text that every program here needs: splitting, joining, and guessing what a person meant to type.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace slipway {

// split("a,b,,c", ',') is {"a", "b", "", "c"}; split("", ',') is {}.
std::vector<std::string> split(std::string_view text, char separator);

// join({"a", "b"}, ", ") is "a, b".
std::string join(std::span<const std::string> parts, std::string_view separator);

// Without white space at both ends.
std::string_view trim(std::string_view text);

// Number of single-character insertions, deletions, substitutions and swaps of neighbours between a
// and b.
size_t edit_distance(std::string_view a, std::string_view b);

// The candidate nearest to `typed`, or "" when none is near enough to be what was meant: for "did
// you mean".
std::string nearest(std::string_view typed, std::span<const std::string> candidates);

// `text` as one word for a POSIX shell, quoted only where it must be.
std::string shell_quote(std::string_view text);

}  // namespace slipway
