// Writes YAML for people.
#include "launcher/conversion/yaml_writer.h"

#include <fmt/core.h>

#include <algorithm>

#include "common/text.h"
#include "launcher/source/yaml_scalar.h"

namespace slipway::conversion {
namespace {

constexpr size_t width_of_comments = 80;

// Whether a literal block keeps every character of the text.
bool fits_block(std::string_view text) {
  if (text.empty() || text[0] == ' ' || text[0] == '\n' || text.ends_with("\n\n")) return false;
  return std::ranges::all_of(
      text, [](unsigned char c) { return c == '\n' || c == '\t' || (c >= ' ' && c != 0x7F); });
}

}  // namespace

void YamlWriter::line(size_t indent, std::string_view text) {
  text_ += fmt::format("{:{}}{}\n", "", indent, text);
}

void YamlWriter::plain(size_t indent, std::string_view key, std::string_view value) {
  line(indent, fmt::format("{}: {}", key, value));
}

void YamlWriter::pair(size_t indent, std::string_view key, std::string_view value) {
  plain(indent, key, source::yaml_scalar(std::string(value)));
}

void YamlWriter::comment(size_t indent, std::string_view text) {
  std::string current;
  for (const std::string& word : split(text, ' ')) {
    if (!current.empty() && indent + 3 + current.size() + word.size() > width_of_comments) {
      line(indent, "# " + current);
      current.clear();
    }
    current += (current.empty() ? "" : " ") + word;
  }
  if (!current.empty()) line(indent, "# " + current);
}

void YamlWriter::block(size_t indent, std::string_view key, std::string_view text) {
  block_after(indent, fmt::format("{}: ", key), text);
}

void YamlWriter::block_item(size_t indent, std::string_view text) {
  block_after(indent, "- ", text);
}

void YamlWriter::block_after(size_t indent, std::string_view prefix, std::string_view text) {
  if (!fits_block(text)) {
    return line(indent, fmt::format("{}{}", prefix, source::yaml_scalar(std::string(text))));
  }
  line(indent, fmt::format("{}{}", prefix, text.ends_with('\n') ? "|" : "|-"));
  for (const std::string& each : split(text, '\n')) {
    if (each.empty())
      text_ += '\n';
    else
      line(indent + 2, each);
  }
  // split() has an empty last entry for the final line feed.
  if (text.ends_with('\n') && text_.ends_with("\n\n")) text_.pop_back();
}

std::string unexpanded(std::string text) {
  if (text.find("$(") == text.npos && text.find("$$") == text.npos) return text;
  for (size_t at = text.find('$'); at != text.npos; at = text.find('$', at + 2)) {
    text.insert(at, "$");
  }
  return text;
}

}  // namespace slipway::conversion
