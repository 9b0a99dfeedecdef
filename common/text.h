// Text that every program here needs: splitting, joining, and guessing what a person meant to type.
#pragma once

#include <charconv>
#include <optional>
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

// The number that the whole text is, in decimal digits; nothing when it is none, or none that T
// holds.
template <class T>
std::optional<T> to_number(std::string_view text) {
  T number{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end ? std::optional(number) : std::nullopt;
}

// Number of single-character insertions, deletions, substitutions and swaps of neighbours between a
// and b.
size_t edit_distance(std::string_view a, std::string_view b);

// The candidate nearest to `typed`, or "" when none is near enough to be what was meant: for "did
// you mean".
std::string nearest(std::string_view typed, std::span<const std::string> candidates);

// `text` as one word for a POSIX shell, quoted only where it must be.
std::string shell_quote(std::string_view text);

}  // namespace slipway
