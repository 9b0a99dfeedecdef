// Prints the installed page of a diagnostic.
#include "launcher/commands/explain_code.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <filesystem>

#include "common/command_description.h"
#include "common/error.h"
#include "common/file.h"
#include "common/installation.h"
#include "common/locale_text.h"
#include "common/text.h"
#include "launcher/source/codes.h"

namespace slipway::commands {
namespace {

// A paragraph or an item of a list, at most 80 columns wide.
std::string folded(const std::string& paragraph) {
  if (!paragraph.starts_with("- ")) return fold(paragraph, 0);
  std::string text = fold(paragraph.substr(2), 2);
  return text.replace(0, 2, "- ");
}

// Pages have longer lines than most terminals. Examples, headings and tables are not folded.
std::string folded_page(const std::string& page) {
  std::string text, paragraph;
  const auto end_paragraph = [&] {
    if (!paragraph.empty()) text += folded(paragraph);
    paragraph.clear();
  };
  bool in_example = false;
  for (const std::string& line : split(page, '\n')) {
    const bool is_fence = line.starts_with("```");
    if (is_fence) in_example = !in_example;
    if (in_example || is_fence || line.empty() || line.starts_with('#') || line.starts_with('|')) {
      end_paragraph();
      text += line + "\n";
      continue;
    }
    if (line.starts_with("- ")) end_paragraph();
    const size_t begin = line.find_first_not_of(' ');
    paragraph += (paragraph.empty() ? "" : " ") + line.substr(begin == line.npos ? 0 : begin);
  }
  end_paragraph();
  while (text.ends_with("\n\n")) text.pop_back();  // `split` gives an empty last line
  return text;
}

}  // namespace

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
  std::fputs(for_locale(folded_page(read_file(page))).c_str(), stdout);
  return 0;
}

}  // namespace slipway::commands
