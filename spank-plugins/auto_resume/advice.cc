// Words the advice for --auto-resume.
#include "spank-plugins/auto_resume/advice.h"

#include <fmt/core.h>

#include <algorithm>

#include "common/error.h"
#include "common/text.h"

namespace slipway::auto_resume {
namespace {

constexpr size_t longest = 300;

// A command line that is safe to print: no line feeds, no control characters.
std::string printable(const std::vector<std::string>& command) {
  std::string text;
  for (const std::string& word : command) {
    if (!text.empty()) text += ' ';
    text += shell_quote(word);
    if (text.size() > longest) {
      text.resize(longest);
      text += "…";
      break;
    }
  }
  std::ranges::replace_if(
      text, [](unsigned char c) { return c < ' ' || c == 0x7f; }, '?');
  return text;
}

bool is_launch(const std::vector<std::string>& command) {
  return command.size() >= 2 && command[1] == "launch" &&
         (command[0] == "slipway" || command[0].ends_with("/slipway"));
}

}  // namespace

bool parse_choice(std::string_view text) {
  if (text == "1") return true;
  if (text == "0") return false;
  throw Error(fmt::format("--auto-resume has no value `{}`: use `1` or `0`", text));
}

std::vector<std::string> advice(const std::vector<std::string>& command) {
  if (is_launch(command)) return {};
  return {
      "--auto-resume=1: if this step fails, it is not started again. To continue on a spare node, "
      "ask "
      "for one node more, and write instead of srun:",
      "  slipway launch --spares 1 -- " + printable(command)};
}

}  // namespace slipway::auto_resume
