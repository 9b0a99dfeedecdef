// Text functions that every program here needs: split, join, trim, numbers, suggestions for typos.
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

// `text` without white space at both ends.
std::string_view trim(std::string_view text);

// The last line that is not blank, trimmed: what an error message takes from a program's output.
// Empty if there is none.
std::string_view last_line_of(std::string_view text);

// A folder's path as the kernel has it: "/scratch" for "/scratch/", and "/" for "/".
std::string without_end_slash(std::string path);

// `text` with ASCII's capital letters in lower case, whatever the locale is.
std::string to_lower(std::string_view text);

// The number that the whole text is in decimal digits; empty if it is not a number or does not fit
// T.
template <class T>
std::optional<T> to_number(std::string_view text) {
  T number{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end ? std::optional(number) : std::nullopt;
}

// The number of insertions, deletions, substitutions and swaps of adjacent characters between a and
// b.
size_t edit_distance(std::string_view a, std::string_view b);

// The candidate nearest to `typed`, for "did you mean"; empty if none is near enough. Nothing is
// nearer than the same word with other capitals.
std::string nearest(std::string_view typed, std::span<const std::string> candidates);

// `text` as one word for a POSIX shell, quoted only if necessary.
std::string shell_quote(std::string_view text);

}  // namespace slipway
