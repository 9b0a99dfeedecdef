// Text for people on stdout.
#include "launcher/commands/page.h"

#include <fmt/core.h>
#include <unistd.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "common/file.h"
#include "common/locale_text.h"
#include "common/text.h"
#include "launcher/source/json.h"

namespace slipway::commands {

using source::display_width;

std::string Paint::with(const char* code, std::string_view text) const {
  return on_ && !text.empty() ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
}

Paint stdout_paint() {
  return Paint(source::color_for(STDOUT_FILENO));
}

std::string wrapped(std::string_view text, size_t indent, size_t width) {
  std::string out;
  for (const std::string& paragraph : split(text, '\n')) {
    std::string line;
    for (const std::string& word : split(paragraph, ' ')) {
      if (word.empty()) continue;
      if (!line.empty() && indent + display_width(line) + 1 + display_width(word) > width) {
        out += indented(line, indent);
        line.clear();
      }
      line += line.empty() ? word : " " + word;
    }
    if (!line.empty()) out += indented(line, indent);
  }
  return out;
}

std::string indented(std::string_view text, size_t indent) {
  std::string out;
  for (const std::string& line : split(text, '\n')) {
    out += line.empty() ? "\n" : std::string(indent, ' ') + line + "\n";
  }
  return out;
}

std::string padded(std::string_view text, size_t columns) {
  const size_t width = display_width(text);
  return std::string(text) + std::string(columns > width ? columns - width : 0, ' ');
}

std::string cut(std::string_view text, size_t columns) {
  if (display_width(text) <= columns) return std::string(text);
  const size_t more = display_width(ellipsis());
  std::string kept;
  for (const std::string& word : split(text, ' ')) {
    if (display_width(kept) + 1 + display_width(word) + 1 + more > columns) break;
    kept += kept.empty() ? word : " " + word;
  }
  if (!kept.empty()) return kept + " " + std::string(ellipsis());
  size_t end = 0;  // a single long word
  while (display_width(text.substr(0, end)) + 1 + more < columns)
    end += source::utf8_length(text[end]);
  return std::string(text.substr(0, end)) + std::string(ellipsis());
}

// JSON stays the same data where only ASCII can be shown.
static std::string in_locale(const std::string& json) {
  if (locale_has_utf8()) return json;
  return nlohmann::ordered_json::parse(json).dump(-1, ' ', true);
}

void show(const source::Diagnostics& diagnostics, bool as_json) {
  const std::string text = as_json ? in_locale(to_json_line(diagnostics)) + "\n"
                                   : render(diagnostics, source::color_for(STDERR_FILENO));
  std::fputs(text.c_str(), stderr);
}

void write_result(const std::string& file, const std::string& text) {
  if (file == "-") {
    std::fputs(text.c_str(), stdout);
  } else {
    write_file(file, text);
  }
}

}  // namespace slipway::commands
