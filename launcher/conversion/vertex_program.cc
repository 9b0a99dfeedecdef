// The program that brings the files of a job into a container of Vertex AI, which has no
// ConfigMaps.
#include <fmt/core.h>

#include <algorithm>

#include "common/text.h"
#include "launcher/conversion/vertex.h"

namespace slipway::conversion {
namespace {

// Whether Vertex would change the text: it may take $(NAME) for the variable and $$ for $, as
// Kubernetes does.
bool would_change(std::string_view text, const std::vector<JobVariable>& variables) {
  if (text.find("$$") != text.npos) return true;
  return std::ranges::any_of(variables, [&](const JobVariable& variable) {
    return text.find(fmt::format("$({})", variable.name)) != text.npos;
  });
}

// Replaces each `$` that begins such an expression.
std::string with_marks(std::string text, const std::string& mark) {
  for (size_t at = text.find('$'); at != text.npos; at = text.find('$', at)) {
    const bool begins = at + 1 < text.size() && (text[at + 1] == '$' || text[at + 1] == '(');
    if (begins) text.replace(at, 1, mark);
    at += begins ? mark.size() : 1;
  }
  return text;
}

std::string unused_word(std::string word, std::string_view text) {
  while (text.find(word) != text.npos) word += '_';
  return word;
}

}  // namespace

std::string unpacking_program(const std::vector<JobFile>& files,
                              const std::vector<JobVariable>& variables) {
  std::string program =
      "# Writes the files of the job, and starts it.\n"
      "set -euo pipefail\n"
      "export SLIPWAY_JOB_FOLDER=${SLIPWAY_JOB_FOLDER:-/slipway/job}\n"
      "mkdir -p \"$SLIPWAY_JOB_FOLDER\"\n"
      "cd \"$SLIPWAY_JOB_FOLDER\"\n";
  for (const JobFile& file : files) {
    std::string text = file.text;
    std::string reader = "cat";
    if (would_change(text, variables)) {
      const std::string mark = unused_word("%DOLLAR%", text);
      text = with_marks(std::move(text), mark);
      reader = fmt::format("sed 's/{}/$/g'", mark);
    }
    if (!text.ends_with('\n')) text += '\n';
    const std::string end = unused_word("END_OF_FILE", text);
    program += fmt::format("{} >{} <<'{}'\n{}{}\n", reader, file.name, end, text, end);
  }
  return program +
         "chmod +x ./*\n"
         "if [ -e prepare ]; then ./prepare; fi\n"
         "if [ -e arguments ]; then . ./arguments; fi\n"
         "cd \"$OLDPWD\"\n"
         "exec bash \"$SLIPWAY_JOB_FOLDER/start\" \"$@\"\n";
}

}  // namespace slipway::conversion
