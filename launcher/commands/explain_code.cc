// Prints the installed page of a diagnostic.
#include "launcher/commands/explain_code.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <filesystem>

#include "common/error.h"
#include "common/file.h"
#include "common/installation.h"
#include "common/locale_text.h"
#include "common/text.h"
#include "launcher/source/codes.h"

namespace slipway::commands {

bool is_code(const std::string& word) {
  return word.size() == 5 && std::string_view("EeWw").find(word[0]) != std::string_view::npos &&
         std::all_of(word.begin() + 1, word.end(),
                     [](unsigned char c) { return std::isdigit(c) != 0; });
}

int explain_code(const std::string& typed, const std::string& more) {
  if (!more.empty()) throw UsageError(fmt::format("unexpected word `{}`", more));
  std::string code = typed;
  code[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(code[0])));
  std::vector<std::string> known;
  for (const source::CodeInfo& info : source::codes()) known.emplace_back(info.name);
  if (std::find(known.begin(), known.end(), code) == known.end()) {
    const std::string guess = nearest(code, known);
    throw Error(guess.empty()
                    ? fmt::format("there is no diagnostic {}", code)
                    : fmt::format("there is no diagnostic {}; did you mean {}?", code, guess));
  }
  const auto page = find_installation().docs() / "diagnostics" / (code + ".md");
  std::fputs(for_locale(read_file(page)).c_str(), stdout);
  return 0;
}

}  // namespace slipway::commands
