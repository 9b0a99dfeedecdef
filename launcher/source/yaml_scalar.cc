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

// True for a string that YAML reads literally without quotes.
bool is_plain_scalar(const std::string& text) {
  if (text.empty() || text.front() == ' ' || text.back() == ' ') return false;
  if (std::string_view("-?:,[]{}#&*!|>'\"%@`").find(text.front()) != std::string_view::npos)
    return false;
  if (text.find(": ") != std::string::npos || text.find(" #") != std::string::npos) return false;
  if (text.back() == ':' || text.find_first_of("\n\r\t\\\"{}[],") != std::string::npos)
    return false;
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
  // JSON's strings are double-quoted strings of YAML.
  using Json = nlohmann::json;
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace slipway::source
