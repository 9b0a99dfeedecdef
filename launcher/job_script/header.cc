// The #SBATCH lines of a script, read as sbatch reads them.
#include "launcher/job_script/header.h"

#include <algorithm>

#include "common/text.h"

namespace slipway::job_script {
namespace {

bool is_space(char c) {
  return std::string_view(" \t\r\v\f\n").find(c) != std::string_view::npos;
}

// The next word from `at`, which moves past it; nothing at the end of the line.
std::optional<HeaderWord> next_word(std::string_view line, size_t& at) {
  while (at < line.size() && is_space(line[at])) ++at;
  const size_t begin = at;
  std::optional<std::string> word;
  for (char quote = 0; at < line.size() && (quote != 0 || !is_space(line[at])); ++at) {
    const char c = line[at];
    if (c == '\\') {
      if (++at >= line.size()) break;
      word = word.value_or("") + line[at];
    } else if (c == quote) {
      quote = 0;
    } else if (quote == 0 && (c == '"' || c == '\'')) {
      quote = c;
    } else if (quote == 0 && c == '#') {
      const size_t end = at;
      at = line.size();
      if (!word) return std::nullopt;
      return HeaderWord{*word, begin, end};
    } else {
      word = word.value_or("") + c;
    }
  }
  if (!word) return std::nullopt;
  return HeaderWord{*word, begin, std::min(at, line.size())};
}

// The separator between components of a heterogeneous job.
bool is_separator(std::string_view typed) {
  const std::string word = to_lower(typed);
  return word == "hetjob" || word == "packjob";
}

bool is_command(std::string_view line) {
  const std::string_view text = trim(line);
  return !text.empty() && text[0] != '#';
}

}  // namespace

Header read_header(std::string_view script) {
  constexpr std::string_view mark = "#SBATCH";
  Header header;
  while (header.end < script.size()) {
    const size_t feed = script.find('\n', header.end);
    const size_t next = feed == script.npos ? script.size() : feed + 1;
    const std::string_view line = script.substr(header.end, next - header.end);
    if (is_command(line)) break;  // sbatch stops here
    const size_t begin = header.end;
    header.end = next;
    if (!line.starts_with(mark) || header.next_component) continue;
    size_t at = mark.size();
    bool is_first = true;
    while (std::optional<HeaderWord> word = next_word(line, at)) {
      word->begin += begin;
      word->end += begin;
      if (is_separator(word->text)) {  // sbatch ignores the rest of such a line
        if (is_first) header.next_component = std::move(word);
        break;
      }
      is_first = false;
      header.words.push_back(std::move(*word));
    }
  }
  return header;
}

}  // namespace slipway::job_script
