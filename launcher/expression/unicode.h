// Characters of UTF-8 strings, as Terraform counts and converts them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace slipway::expression {

// The grapheme clusters: a letter with its accents, or a flag, is one.
std::vector<std::string_view> characters(std::string_view text);

// The bytes of each code point.
std::vector<std::string_view> code_points(std::string_view text);

char32_t decode(std::string_view code_point);
void append_utf8(char32_t point, std::string& out);

std::string lower_case(std::string_view text);
std::string upper_case(std::string_view text);
std::string title_case(std::string_view text);  // the first letter of each word

bool is_white_space(char32_t point);

bool is_utf8(std::string_view text);

}  // namespace slipway::expression
