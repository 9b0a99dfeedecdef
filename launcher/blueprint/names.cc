// Rules for names in a blueprint.
#include "launcher/blueprint/names.h"

#include <algorithm>
#include <functional>

#include "launcher/source/sources.h"

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
// Labels allow lowercase letters of every alphabet, so bytes above 127 are accepted.
bool is_label(char c) {
  return is_lower(c) || is_digit(c) || c == '_' || c == '-' ||
         static_cast<unsigned char>(c) >= 0x80;
}

}  // namespace

bool is_label_value(std::string_view text) {
  return !text.empty() &&
         std::count_if(text.begin(), text.end(), std::not_fn(source::continues_utf8)) <= 63 &&
         std::all_of(text.begin(), text.end(), is_label);
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
