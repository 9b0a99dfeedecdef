// Text for people in what the locale can show.
#include "common/locale_text.h"

#include <langinfo.h>
#include <locale.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

#include "common/environment.h"

namespace slipway {
namespace {

using Spelling = std::pair<std::string_view, std::string_view>;

constexpr auto spellings = std::to_array<Spelling>({
    {"…", "..."}, {"→", "->"}, {"←", "<-"}, {"├", "|"},      {"└", "`"}, {"│", "|"}, {"─", "-"},
    {"×", "x"},   {"·", "*"},  {"•", "*"},  {"–", "-"},      {"—", "-"}, {"−", "-"}, {"≤", "<="},
    {"≥", ">="},  {"≠", "!="}, {"±", "+-"}, {"°", ""},       {"µ", "u"}, {"μ", "u"}, {"‘", "'"},
    {"’", "'"},   {"“", "\""}, {"”", "\""}, {"\u00a0", " "}, {"✓", "+"}, {"✗", "x"}, {"█", "#"},
});

bool is_ascii(char c) {
  return static_cast<unsigned char>(c) < 0x80;
}

// The length of the character at the beginning of `text`; 1 for a byte that is not UTF-8.
size_t character_length(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  const size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
  if (length > text.size()) return 1;
  const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; };
  return std::all_of(text.begin() + 1, text.begin() + static_cast<std::ptrdiff_t>(length),
                     continues)
             ? length
             : 1;
}

bool names_utf8(std::string name) {
  std::erase(name, '-');
  std::transform(name.begin(), name.end(), name.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return name.find("utf8") != name.npos;
}

bool ask_locale() {
  for (const char* variable : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string name = environment_variable(variable);
    if (name.empty()) continue;
    // A locale that is not installed on this machine says it only with its name.
    if (names_utf8(name)) return true;
    const locale_t locale = ::newlocale(LC_CTYPE_MASK, name.c_str(), nullptr);
    if (locale == nullptr) return false;
    const bool is_utf8 = names_utf8(::nl_langinfo_l(CODESET, locale));
    ::freelocale(locale);
    return is_utf8;
  }
  return true;
}

ssize_t write_to_stderr(void* /*cookie*/, const char* text, size_t size) {
  const std::string plain = ascii({text, size});
  for (std::string_view left = plain; !left.empty();) {
    const ssize_t written = ::write(STDERR_FILENO, left.data(), left.size());
    if (written <= 0) return 0;  // as an error
    left.remove_prefix(static_cast<size_t>(written));
  }
  return static_cast<ssize_t>(size);
}

}  // namespace

bool locale_has_utf8() {
  static const bool has_utf8 = ask_locale();
  return has_utf8;
}

std::string ascii(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const size_t length = character_length(text);
    const std::string_view character = text.substr(0, length);
    if (is_ascii(character[0])) {
      out += character;
    } else {
      const auto found = std::ranges::find(spellings, character, &Spelling::first);
      out += found == spellings.end() ? "?" : found->second;
    }
    text.remove_prefix(length);
  }
  return out;
}

std::string for_locale(std::string text) {
  if (locale_has_utf8() || std::ranges::all_of(text, is_ascii)) return text;
  return ascii(text);
}

std::string without_controls(std::string_view text) {
  if (std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; }))
    return std::string(text);
  std::string out;
  while (!text.empty()) {
    const size_t length = character_length(text);
    const std::string_view character = text.substr(0, length);
    const auto first = static_cast<unsigned char>(character[0]);
    // The second row of them, U+0080 to U+009F, is C2 80 to C2 9F; a lone byte may be one, too.
    const bool is_control =
        (first < 0x20 && first != '\t') || (first >= 0x7f && length == 1) ||
        (first == 0xc2 && length == 2 && static_cast<unsigned char>(character[1]) < 0xa0);
    out += is_control ? "?" : character;
    text.remove_prefix(length);
  }
  return out;
}

std::string_view ellipsis() {
  return locale_has_utf8() ? "…" : "...";
}

void limit_stderr_to_locale() {
  if (locale_has_utf8()) return;
  static FILE* const limited = ::fopencookie(
      nullptr, "w", {.read = nullptr, .write = write_to_stderr, .seek = nullptr, .close = nullptr});
  if (limited == nullptr) return;
  ::setvbuf(limited, nullptr, _IONBF, 0);
  stderr = limited;
}

}  // namespace slipway
