// Checks a file's encoding before it is read as YAML.
#include "launcher/source/yaml_bytes.h"

#include <fmt/core.h>

#include <string>
#include <string_view>

namespace slipway::source {
namespace {

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

}  // namespace slipway::source
