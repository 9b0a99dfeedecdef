// Checks a file's encoding before it is read as YAML.
#include "launcher/source/yaml_bytes.h"

#include <fmt/core.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace slipway::source {
namespace {

// Unicode's spaces but ASCII's, and those without a width: no-break space, ogham space mark, en
// quad to zero width space, narrow no-break space, medium mathematical space, ideographic space,
// byte order mark.
constexpr auto odd_spaces = std::to_array<std::string_view>(
    {"\u00a0", "\u1680", "\u2000", "\u2001", "\u2002", "\u2003", "\u2004", "\u2005", "\u2006",
     "\u2007", "\u2008", "\u2009", "\u200a", "\u200b", "\u202f", "\u205f", "\u3000", "\ufeff"});

// Quotes of word processors, as pairs.
constexpr auto odd_quotes =
    std::to_array<std::pair<std::string_view, std::string_view>>({{"\u201c", "\u201d"},
                                                                  {"\u201d", "\u201d"},
                                                                  {"\u2018", "\u2019"},
                                                                  {"\u2019", "\u2019"},
                                                                  {"\u201e", "\u201c"},
                                                                  {"\u00ab", "\u00bb"}});

bool is_ascii_byte(char c) {
  return static_cast<unsigned char>(c) < 0x80;
}

// A guess at what is wrong with a file whose byte at `bad` is invalid; may be empty.
std::string encoding_hint(std::string_view text, size_t bad) {
  const bool wide = text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF") ||
                    (bad <= 1 && text.size() > 1 && (text[0] == '\0') != (text[1] == '\0'));
  if (wide) return "this looks like UTF-16; save the file as UTF-8";
  return static_cast<unsigned char>(text[bad]) >= 0x80 ? "a YAML file must be UTF-8" : "";
}

// A carriage return without a line feed ends a line in YAML, but not in our line numbers.
size_t find_lone_return(std::string_view text) {
  size_t at = text.find('\r');
  while (at != text.npos && text.substr(at + 1).starts_with('\n')) at = text.find('\r', at + 1);
  return at;
}

}  // namespace

bool check_bytes(Span file, const Sources& sources, Diagnostics& diagnostics) {
  const std::string_view text = sources.text(file);
  if (text.starts_with("\xEF\xBB\xBF")) {  // Sources dropped the first one
    diagnostics.error(Code::not_text, {file.begin, file.begin + 3}, "a second byte order mark");
    return false;
  }
  const size_t bad = find_not_text(text);
  if (bad == std::string_view::npos) {
    const size_t lone = find_lone_return(text);
    if (lone == std::string_view::npos) return true;
    const auto at = file.begin + static_cast<uint32_t>(lone);
    diagnostics
        .error(Code::not_text, {at, at + 1},
               "this line ends with a carriage return but no line feed")
        .help("save the file with Unix (LF) or Windows (CRLF) line endings");
    return false;
  }
  const auto at = file.begin + static_cast<uint32_t>(bad);
  diagnostics
      .error(Code::not_text, {at, at + 1},
             fmt::format("the byte 0x{:02X} is not allowed in a YAML file",
                         static_cast<unsigned char>(text[bad])))
      .help(encoding_hint(text, bad));
  return false;
}

// Text from web pages and word processors has spaces and quotes that look like ASCII's.
void check_ends(Span value, const Sources& sources, Diagnostics& diagnostics) {
  const std::string_view text = sources.text(value);
  if (text.empty() || (is_ascii_byte(text.front()) && is_ascii_byte(text.back()))) return;
  for (const auto& [open, close] : odd_quotes) {
    const auto size = static_cast<uint32_t>(open.size());
    if (text.size() < 2 * open.size() || !text.starts_with(open) || !text.ends_with(close))
      continue;
    diagnostics
        .error(Code::not_text, {value.begin, value.begin + size},
               "these are not ASCII quotes, and so they are part of the value")
        .help("write \"…\"; if you mean them, write them within ASCII quotes");
    return;
  }
  for (const std::string_view odd : odd_spaces) {
    const auto size = static_cast<uint32_t>(odd.size());
    const bool before = text.starts_with(odd);
    if (!before && !text.ends_with(odd)) continue;
    const uint32_t begin = before ? value.begin : value.end - size;
    diagnostics
        .error(Code::not_text, {begin, begin + size},
               "this is not an ASCII space, and so it is part of the value")
        .help("replace it; if you mean it, write the value in quotes");
    return;
  }
}

}  // namespace slipway::source
