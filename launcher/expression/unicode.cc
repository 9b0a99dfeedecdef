// Characters of UTF-8 strings, with the tables of libunistring.
#include "launcher/expression/unicode.h"

#include <unicase.h>
#include <unictype.h>
#include <unigbrk.h>
#include <unistr.h>

#include <algorithm>

namespace slipway::expression {
namespace {

const uint8_t* bytes(const char* text) {
  return reinterpret_cast<const uint8_t*>(text);
}

template <class Change>
std::string changed(std::string_view text, Change change) {
  std::string out;
  for (const std::string_view point : code_points(text)) append_utf8(change(decode(point)), out);
  return out;
}

// True for a character that separates words, for title_case().
bool is_separator(char32_t point) {
  if (point < 0x80) {
    const auto c = static_cast<char>(point);
    return !((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
             c == '_');
  }
  return !uc_is_property_alphabetic(point) && is_white_space(point);
}

}  // namespace

std::vector<std::string_view> characters(std::string_view text) {
  std::string breaks(text.size(), '\0');  // 1 where a character begins
  u8_grapheme_breaks(bytes(text.data()), text.size(), breaks.data());
  std::vector<std::string_view> out;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(breaks.find('\1', at + 1), text.size());
    out.push_back(text.substr(at, end - at));
    at = end;
  }
  return out;
}

std::vector<std::string_view> code_points(std::string_view text) {
  std::vector<std::string_view> out;
  for (size_t at = 0; at < text.size();) {
    const int length = u8_mblen(bytes(text.data() + at), text.size() - at);
    out.push_back(text.substr(at, length > 0 ? static_cast<size_t>(length) : 1));
    at += out.back().size();
  }
  return out;
}

char32_t decode(std::string_view code_point) {
  ucs4_t point = 0;
  u8_mbtouc(&point, bytes(code_point.data()), code_point.size());
  return point;
}

void append_utf8(char32_t point, std::string& out) {
  uint8_t buffer[6];
  int length = u8_uctomb(buffer, point, sizeof buffer);
  if (length <= 0) length = u8_uctomb(buffer, 0xFFFD, sizeof buffer);  // not a valid code point
  out.append(reinterpret_cast<const char*>(buffer), static_cast<size_t>(length));
}

std::string lower_case(std::string_view text) {
  return changed(text, uc_tolower);
}
std::string upper_case(std::string_view text) {
  return changed(text, uc_toupper);
}

std::string title_case(std::string_view text) {
  char32_t before = ' ';
  return changed(text, [&](char32_t point) {
    const char32_t out = is_separator(before) ? uc_totitle(point) : point;
    before = point;
    return out;
  });
}

bool is_white_space(char32_t point) {
  return uc_is_property_white_space(point);
}

bool is_utf8(std::string_view text) {
  return u8_check(bytes(text.data()), text.size()) == nullptr;
}

}  // namespace slipway::expression
