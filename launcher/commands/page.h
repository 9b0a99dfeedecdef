// Text for people on stdout: wrapped to 100 columns, with emphasis on a terminal.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "launcher/source/diagnostics.h"

namespace slipway::commands {

inline constexpr size_t page_width = 100;
inline constexpr size_t terminal_width = 80;  // of a new terminal

// Adds emphasis on a terminal, and nothing elsewhere.
class Paint {
 public:
  explicit Paint(source::Color color) : on_(color == source::Color::always) {}
  std::string bold(std::string_view text) const { return with("1", text); }
  std::string dim(std::string_view text) const { return with("2", text); }
  std::string red(std::string_view text) const { return with("31", text); }
  std::string yellow(std::string_view text) const { return with("33", text); }
  std::string green(std::string_view text) const { return with("32", text); }
  std::string blue(std::string_view text) const { return with("34", text); }

 private:
  std::string with(const char* code, std::string_view text) const;
  bool on_;
};

// The emphasis for stdout: none unless it is a terminal, or with NO_COLOR.
Paint stdout_paint();

// The words of `text` in lines of at most `width` columns, each with `indent` spaces before
// it and a line feed after it. A longer word gets its own line. Line feeds in `text` stay.
std::string wrapped(std::string_view text, size_t indent, size_t width = page_width);

// Every line of `text` with `indent` spaces before it and a line feed after it.
std::string indented(std::string_view text, size_t indent);

// The text, padded to at least `columns` columns.
std::string padded(std::string_view text, size_t columns);

// The beginning of the text in at most `columns` columns, cut between words and with … at the end.
std::string cut(std::string_view text, size_t columns);

// Prints diagnostics on stderr, for people or as one line of JSON.
void show(const source::Diagnostics& diagnostics, bool as_json = false);

// Writes to `file`, or to stdout when it is "-".
void write_result(const std::string& file, const std::string& text);

}  // namespace slipway::commands
