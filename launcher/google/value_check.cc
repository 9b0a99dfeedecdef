// Compares values with the rules of values.yaml.
#include "launcher/google/value_check.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "launcher/source/diagnostics.h"

namespace slipway::google {
namespace {

bool is_in(const NumberRange& range, double number) {
  const double beyond = number - static_cast<double>(range.least);
  return beyond >= 0 && number <= static_cast<double>(range.most) &&
         std::fmod(beyond, static_cast<double>(range.step)) == 0;
}

// The text with `computed` for each ${…} in it; nothing if it is all computed.
std::optional<std::string> without_expressions(const std::string& text,
                                               const std::string& computed) {
  if (!is_expression(text)) return text;
  if (computed.empty() || text.find("%{") != text.npos) return std::nullopt;
  std::string plain;
  bool known = false;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text.compare(at, 2, "${") != 0) {
      plain += text[at];
      known = true;
      continue;
    }
    int depth = 0;
    for (; at < text.size(); ++at) {
      if (text[at] == '{') ++depth;
      if (text[at] == '}' && --depth == 0) break;
    }
    plain += computed;
  }
  return known ? std::optional(plain) : std::nullopt;
}

bool is_right_word(const ValueRule& rule, const std::string& text) {
  if (rule.mistaken.contains(text)) return false;
  if (rule.words.empty() || text.empty() || is_listed(rule.words, text)) return true;
  return rule.more_words && source::did_you_mean(text, rule.words).empty();
}

}  // namespace

bool is_expression(const std::string& text) {
  return text.find("${") != text.npos || text.find("%{") != text.npos;
}

bool is_listed(const std::vector<std::string>& types, const std::string& type) {
  return std::ranges::find(types, type) != types.end();
}

std::string text_of(const Json& block, const char* key) {
  const auto found = block.find(key);
  return found != block.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::optional<double> number_of(const Json& value) {
  if (value.is_number()) return value.get<double>();
  double number = 0;
  if (!value.is_string()) return std::nullopt;
  const auto& text = value.get_ref<const std::string&>();
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole ? std::optional(number) : std::nullopt;
}

bool is_too_long(int64_t longest, const std::string& text) {
  const auto is_character = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; };
  return longest > 0 && std::ranges::count_if(text, is_character) > longest;
}

std::string meant_by(const ValueRule& rule, const std::string& text) {
  const auto known = rule.mistaken.find(text);
  if (known != rule.mistaken.end()) return fmt::format("did you mean `{}`?", known->second);
  return rule.words.empty() ? std::string() : source::did_you_mean(text, rule.words);
}

bool keeps(const ValueRule& rule, const Json& value) {
  if (value.is_string()) {
    const auto text = without_expressions(value.get_ref<const std::string&>(), rule.computed);
    if (!text) return true;
    if (rule.pattern && !rule.pattern.fits_all_of(*text)) return false;
    if (is_too_long(rule.longest, *text)) return false;
    if (rule.never && rule.never.is_in(*text)) return false;
    if (!is_right_word(rule, *text)) return false;
  }
  const auto number = number_of(value);
  return !number || rule.ranges.empty() ||
         std::ranges::any_of(rule.ranges, [&](const auto& range) { return is_in(range, *number); });
}

}  // namespace slipway::google
