// Prints diagnostics: the message, the source line and carets under the place.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "common/locale_text.h"
#include "launcher/source/diagnostics.h"
#include "launcher/source/warning_codes.h"

namespace slipway::source {
namespace {

// Terminal escape sequences, empty without color.
struct Palette {
  const char* severity = "";
  const char* bold = "";
  const char* frame = "";
  const char* off = "";
};

Palette palette(Severity severity, Color color) {
  if (color == Color::never) return {};
  return {severity == Severity::error ? "\x1b[1;31m" : "\x1b[1;33m", "\x1b[1m", "\x1b[1;34m",
          "\x1b[0m"};
}

// Replaces tabs, whose width depends on the column, by four spaces, and control characters, which
// the terminal would act on.
std::string printable(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '\t') {
      out += "    ";
    } else if (static_cast<unsigned char>(c) < ' ' || c == 0x7f) {
      out += "\uFFFD";
    } else {
      out += c;
    }
  }
  return out;
}

// Columns of a line; a wider line is cut around the marked part.
constexpr size_t widest = 160;

// The longest prefix of at most `columns`.
std::string_view first_columns(std::string_view text, size_t columns) {
  size_t end = 0;
  while (end < text.size()) {
    const std::string_view c = text.substr(end, utf8_length(text[end]));
    const size_t width = display_width(c);
    if (width > columns) break;
    columns -= width;
    end += c.size();
  }
  return text.substr(0, end);
}

// The longest suffix of at most `columns`.
std::string_view last_columns(std::string_view text, size_t columns) {
  const size_t width = display_width(text);
  if (width <= columns) return text;
  text.remove_prefix(first_columns(text, width - columns).size());
  while (display_width(text) > columns) text.remove_prefix(utf8_length(text[0]));
  return text;
}

// Cuts a message that quotes a very long name.
std::string in_short(const std::string& message) {
  constexpr size_t enough = 1000;
  return message.size() <= enough ? message
                                  : std::string(first_columns(message, enough)).append(ellipsis());
}

// A line in three parts: before, at and after the marked place.
struct Parts {
  std::string before, marked, after;
};

Parts fit(Parts line) {
  const auto is_wide = [](const Parts& parts) {
    return display_width(parts.before) + display_width(parts.marked) + display_width(parts.after) >
           widest;
  };
  if (!is_wide(line)) return line;
  const size_t more = display_width(ellipsis());
  const auto cut = [&](std::string& text, size_t columns) {
    if (display_width(text) > columns)
      text = std::string(first_columns(text, columns - more)).append(ellipsis());
  };
  if (display_width(line.before) > widest / 3) {
    line.before = std::string(ellipsis()).append(last_columns(line.before, widest / 3 - more));
  }
  if (display_width(line.marked) > widest / 3) line.after.clear();
  cut(line.marked, widest / 3);
  cut(line.after, widest - display_width(line.before) - display_width(line.marked));
  return line;
}

// More bytes than the shown part of a line can have, so that very long lines are not processed
// whole.
constexpr size_t enough_bytes = 8 * widest;

std::string_view first_bytes(std::string_view text) {
  if (text.size() <= enough_bytes) return text;
  size_t end = enough_bytes;
  while (end > 0 && continues_utf8(text[end])) --end;
  return text.substr(0, end);
}

std::string_view last_bytes(std::string_view text) {
  if (text.size() <= enough_bytes) return text;
  size_t begin = text.size() - enough_bytes;
  while (begin < text.size() && continues_utf8(text[begin])) ++begin;
  return text.substr(begin);
}

// One place: its file, line and column, its source line, and a mark under it.
std::string excerpt(std::string_view arrow, Span span, char mark, std::string_view label,
                    size_t gutter, const Palette& paint, const Sources& sources) {
  const Place place = sources.place(span.begin);
  const std::string_view rest = place.line_text.substr(place.byte);
  const size_t length = std::min<size_t>(span.end - span.begin, rest.size());
  const auto [before, marked, after] =
      fit({printable(last_bytes(place.line_text.substr(0, place.byte))),
           printable(first_bytes(rest.substr(0, length))),
           printable(first_bytes(rest.substr(length)))});
  const size_t width = std::max<size_t>(1, display_width(marked));
  std::string text = fmt::format("{:{}}{}{}{} {}:{}:{}\n", "", gutter, paint.frame, arrow,
                                 paint.off, place.file, place.line, place.column);
  text += fmt::format("{}{:{}} |{}\n", paint.frame, "", gutter, paint.off);
  const std::string line = before + marked + after;
  text += fmt::format("{}{:>{}} |{}{}{}\n", paint.frame, place.line, gutter, paint.off,
                      line.empty() ? "" : " ", line);
  text += fmt::format("{}{:{}} |{} {:{}}{}{}{}{}{}\n", paint.frame, "", gutter, paint.off, "",
                      display_width(before), paint.severity, std::string(width, mark),
                      label.empty() ? "" : " ", label, paint.off);
  return text;
}

}  // namespace

Color color_for(int fd) {
  const char* no_color = std::getenv("NO_COLOR");
  const bool refused = no_color != nullptr && *no_color != '\0';
  return !refused && ::isatty(fd) == 1 ? Color::always : Color::never;
}

std::string render(const Diagnostic& diagnostic, const Sources& sources, Color color) {
  const Palette paint = palette(diagnostic.severity, color);
  std::string text = fmt::format("{}{}[{}]{}{}: {}{}\n", paint.severity,
                                 diagnostic.severity == Severity::error ? "error" : "warning",
                                 shown_code(diagnostic), paint.off, paint.bold,
                                 in_short(diagnostic.message), paint.off);
  size_t gutter = 1;
  for (const Span span : {diagnostic.span, diagnostic.other_span}) {
    if (span) gutter = std::max(gutter, fmt::formatted_size("{}", sources.place(span.begin).line));
  }
  if (diagnostic.span) {
    text += excerpt("-->", diagnostic.span, '^', "", gutter, paint, sources);
  }
  if (diagnostic.other_span) {
    Palette second = paint;
    second.severity = paint.frame;
    text +=
        excerpt(":::", diagnostic.other_span, '-', diagnostic.other_label, gutter, second, sources);
  }
  for (const std::string& help : diagnostic.helps) {
    text +=
        fmt::format("{}{:{}} ={} help: {}\n", paint.frame, "", gutter, paint.off, in_short(help));
  }
  return text;
}

std::string render(const Diagnostics& diagnostics, Color color) {
  constexpr size_t enough = 50;
  std::string text;
  const std::vector<Diagnostic> sorted = diagnostics.sorted();
  for (size_t i = 0; i < std::min(sorted.size(), enough); ++i) {
    if (!text.empty()) text += '\n';
    text += render(sorted[i], diagnostics.sources(), color);
  }
  if (sorted.size() > enough)
    text += fmt::format("\n{} and {} more\n", ellipsis(), sorted.size() - enough);
  return text;
}

}  // namespace slipway::source
