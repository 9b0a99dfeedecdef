// Writes texts as scalars of YAML.
#include "launcher/source/yaml_scalar.h"

#include <nlohmann/json.hpp>
#include <string_view>
#include <variant>

#include "launcher/source/yaml.h"

namespace slipway::source {
namespace {

// 2001-12-14T21:59:43.10-05:00 and its like are a type of their own in YAML 1.1.
bool looks_like_timestamp(std::string_view text) {
  return text.find('-') == 4 && text.find_first_not_of("0123456789-:.+TtZz ") == text.npos;
}

// The length in bytes of a character at the beginning of a text in UTF-8 that YAML folds as an end
// of a line or does not take as it stands; 0 for any other. What JSON escapes itself is not
// counted.
size_t special_at(std::string_view text) {
  const auto byte = [&](size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const bool deleted = byte(0) == 0x7f;
  const bool control = byte(0) == 0xc2 && byte(1) < 0xa0;  // U+0080 to U+009F
  const bool line_end = text.starts_with("\u2028") || text.starts_with("\u2029");
  const bool byte_order =
      text.starts_with("\ufeff") || text.starts_with("\xef\xbf\xbe") || text.starts_with("\uffff");
  return deleted ? 1 : control ? 2 : line_end || byte_order ? 3 : 0;
}

// Spaces and quotes that are not ASCII's are suspicious at the ends of a value without quotes.
bool has_ascii_ends(std::string_view text) {
  return static_cast<unsigned char>(text.front()) < 0x80 &&
         static_cast<unsigned char>(text.back()) < 0x80;
}

bool is_printable(std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (static_cast<unsigned char>(text[i]) < ' ' || special_at(text.substr(i)) > 0) return false;
  }
  return true;
}

// Escapes the characters in a string of JSON that YAML does not read unchanged.
std::string with_escapes(std::string_view json) {
  std::string text;
  for (size_t i = 0; i < json.size();) {
    const size_t length = special_at(json.substr(i));
    if (length == 0) {
      text += json[i++];
      continue;
    }
    const std::string escaped = nlohmann::json(json.substr(i, length)).dump(-1, ' ', true);
    text.append(escaped, 1, escaped.size() - 2);  // without its quotes
    i += length;
  }
  return text;
}

// True for a string that YAML reads literally without quotes.
bool is_plain_scalar(const std::string& text) {
  if (text.empty() || text.front() == ' ' || text.back() == ' ') return false;
  if (!has_ascii_ends(text) || !is_printable(text)) return false;
  if (std::string_view("-?:,[]{}#&*!|>'\"%@`").find(text.front()) != std::string_view::npos)
    return false;
  if (text.find(": ") != std::string::npos || text.find(" #") != std::string::npos) return false;
  if (text.back() == ':' || text.find_first_of("\\\"{}[],") != std::string::npos) return false;
  // Every reader must agree that it is a string, including those for YAML 1.1 (yes, 1:30, 1_000).
  const bool digits = text.find_first_of("0123456789") != std::string::npos;
  const bool numeric = text.find_first_not_of("0123456789.:_+-eExXoO") == std::string::npos;
  if (digits && (numeric || looks_like_timestamp(text))) return false;
  for (std::string_view word :
       {"y",  "Y",  "yes", "Yes", "YES", "n",   "N",    "no",   "No", "NO",
        "on", "On", "ON",  "off", "Off", "OFF", ".inf", ".nan", "<<", "="}) {
    if (text == word) return false;
  }
  Node node;
  node.text = text;
  return std::holds_alternative<std::string>(resolve(node));
}

}  // namespace

std::string yaml_scalar(const std::string& text) {
  if (is_plain_scalar(text)) return text;
  // JSON's strings are double-quoted strings of YAML, but for some characters.
  return with_escapes(
      nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

}  // namespace slipway::source
