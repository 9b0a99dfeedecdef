// Rules for names in a blueprint.
#include "launcher/blueprint/names.h"

#include <algorithm>
#include <vector>

#include "launcher/expression/unicode.h"

namespace slipway::blueprint {
namespace {

bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}
bool is_upper(char c) {
  return c >= 'A' && c <= 'Z';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_word(char c) {
  return is_lower(c) || is_upper(c) || is_digit(c) || c == '_';
}
// Labels allow lowercase letters of every alphabet, but no signs: those have other blocks of
// Unicode.
bool is_label(std::string_view code_point) {
  if (code_point.size() == 1) {
    const char c = code_point[0];
    return is_lower(c) || is_digit(c) || c == '_' || c == '-';
  }
  const char32_t point = expression::decode(code_point);
  return (point >= 0xaa && point <= 0x1fff) || (point >= 0x3040 && point <= 0xd7ff);
}

}  // namespace

bool is_label_value(std::string_view text) {
  const std::vector<std::string_view> points = expression::code_points(text);
  return !points.empty() && points.size() <= 63 && std::ranges::all_of(points, is_label);
}

bool is_label_key(std::string_view text) {
  return is_label_value(text) && !is_digit(text[0]) && text[0] != '_' && text[0] != '-';
}

bool is_deployment_name(std::string_view text) {
  return is_label_value(text) && text[0] != '-' && std::any_of(text.begin(), text.end(), is_lower);
}

bool is_group_name(std::string_view text) {
  return !text.empty() && is_word(text.front()) && is_word(text.back()) &&
         std::all_of(text.begin(), text.end(), [](char c) { return is_word(c) || c == '-'; });
}

bool is_module_id(std::string_view text) {
  return !text.empty() && (is_word(text[0]) && !is_digit(text[0])) &&
         std::all_of(text.begin(), text.end(), [](char c) { return is_word(c) || c == '-'; });
}

bool is_cluster_name(std::string_view text) {
  return !text.empty() && text.size() <= 20 && is_lower(text[0]) &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return is_lower(c) || is_digit(c) || c == '-'; });
}

}  // namespace slipway::blueprint
