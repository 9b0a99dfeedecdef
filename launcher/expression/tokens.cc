// The tokens of HCL's expression language.
#include "launcher/expression/tokens.h"

#include <algorithm>
#include <array>

namespace slipway::expression {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Bytes above 127 count as letters of other alphabets.
bool begins_identifier(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool continues_identifier(char c) {
  return begins_identifier(c) || is_digit(c) || c == '-';
}

// The end of white space and comments.
size_t skip_space(std::string_view text, size_t at, bool& newline) {
  while (at < text.size()) {
    const std::string_view rest = text.substr(at);
    if (rest.starts_with('#') || rest.starts_with("//")) {
      at = std::min(text.find('\n', at), text.size());
    } else if (rest.starts_with("/*")) {
      const size_t close = text.find("*/", at + 2);
      at = close == std::string_view::npos ? text.size() : close + 2;
    } else if (rest[0] == ' ' || rest[0] == '\t' || rest[0] == '\r' || rest[0] == '\n') {
      newline = newline || rest[0] == '\n';
      ++at;
    } else {
      break;
    }
  }
  return at;
}

size_t number_length(std::string_view text) {
  size_t at = 0;
  while (at < text.size() && is_digit(text[at])) ++at;
  if (at + 1 < text.size() && text[at] == '.' && is_digit(text[at + 1])) {
    ++at;
    while (at < text.size() && is_digit(text[at])) ++at;
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    size_t power = at + 1;
    if (power < text.size() && (text[power] == '+' || text[power] == '-')) ++power;
    if (power < text.size() && is_digit(text[power])) {
      while (power < text.size() && is_digit(text[power])) ++power;
      at = power;
    }
  }
  return at;
}

constexpr std::array<std::string_view, 8> two_characters{
    "::", "=>", "==", "!=", "<=", ">=", "&&", "||"};
constexpr std::string_view one_character = "()[]{},.:?=<>!+-*/%$~\\";

// The length of the symbol at the beginning of `text`; otherwise 0.
size_t symbol_length(std::string_view text) {
  if (text.starts_with("...")) return 3;
  // The second character of every two-character symbol is one of these.
  if (text.size() > 1 && std::string_view(":=>&|").find(text[1]) != text.npos &&
      std::ranges::find(two_characters, text.substr(0, 2)) != two_characters.end()) {
    return 2;
  }
  return one_character.find(text[0]) == one_character.npos ? 0 : 1;
}

// The length of `<<EOT` or `<<-EOT` if a line end follows; otherwise 0.
size_t heredoc_length(std::string_view text) {
  if (!text.starts_with("<<")) return 0;
  const size_t name = text.starts_with("<<-") ? 3 : 2;
  if (name >= text.size() || !begins_identifier(text[name])) return 0;
  const auto* end = std::find_if_not(text.begin() + name, text.end(), continues_identifier);
  const auto length = static_cast<size_t>(end - text.begin());
  const std::string_view rest = text.substr(length);
  return rest.starts_with('\n') || rest.starts_with("\r\n") ? length : 0;
}

}  // namespace

Token next_token(std::string_view text, size_t at) {
  Token token;
  at = skip_space(text, at, token.after_newline);
  token.begin = at;
  const std::string_view rest = text.substr(at);
  if (rest.empty()) return token;
  const auto finish = [&](Token::Kind kind, size_t length) {
    token.kind = kind;
    token.text = rest.substr(0, length);
    return token;
  };
  if (rest[0] == '"') return finish(Token::Kind::quote, 1);
  if (is_digit(rest[0])) return finish(Token::Kind::number, number_length(rest));
  if (begins_identifier(rest[0])) {
    const auto end = std::find_if_not(rest.begin(), rest.end(), continues_identifier);
    return finish(Token::Kind::identifier, static_cast<size_t>(end - rest.begin()));
  }
  if (const size_t length = heredoc_length(rest)) return finish(Token::Kind::heredoc, length);
  if (const size_t length = symbol_length(rest)) return finish(Token::Kind::symbol, length);
  return finish(Token::Kind::bad, 1);
}

bool is_identifier(std::string_view text) {
  return !text.empty() && begins_identifier(text[0]) &&
         std::all_of(text.begin(), text.end(), continues_identifier);
}

}  // namespace slipway::expression
