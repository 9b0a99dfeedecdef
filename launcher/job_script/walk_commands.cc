// What single commands of a job script mean.
#include "launcher/job_script/walk_commands.h"

#include <algorithm>
#include <array>

#include "launcher/job_script/shell_words.h"

namespace slipway::job_script {
namespace {

constexpr std::array<std::string_view, 8> wrappers = {"exec",  "env",     "time", "command",
                                                      "nohup", "timeout", "nice", "stdbuf"};
constexpr auto of_every_shell = std::to_array<std::string_view>(
    {":",       "[",      "[[",       "alias",      "awk",   "basename", "break",    "cat",
     "cd",      "chmod",  "compgen",  "continue",   "cp",    "cut",      "date",     "df",
     "dirname", "echo",   "eval",     "exit",       "false", "find",     "free",     "getopts",
     "grep",    "head",   "hostname", "id",         "ldd",   "let",      "ln",       "ls",
     "mkdir",   "mktemp", "mv",       "nvidia-smi", "paste", "popd",     "printenv", "pushd",
     "pwd",     "rename", "return",   "rm",         "sed",   "set",      "shopt",    "sleep",
     "sort",    "tail",   "tee",      "test",       "touch", "tr",       "trap",     "true",
     "ulimit",  "umask",  "uname",    "uniq",       "wait",  "wc",       "which",    "xargs"});

// [ -n TEXT ], [ -z TEXT ], [ A = B ], [ A != B ], with known texts.
std::optional<bool> result_of_test(std::vector<ShellValue> words) {
  if (words.empty()) return std::nullopt;
  const std::string name = words[0].text;
  if (name == "true" || name == "false") return name == "true";
  if (name == "[" || name == "[[") {
    words.pop_back();
  } else if (name != "test") {
    return std::nullopt;
  }
  words.erase(words.begin());
  const auto known = [](const ShellValue& value) { return value.is_known(); };
  if (words.empty() || !std::ranges::all_of(words, known)) return std::nullopt;
  if (words.size() == 2 && words[0].text == "-n") return !words[1].text.empty();
  if (words.size() == 2 && words[0].text == "-z") return words[1].text.empty();
  if (words.size() != 3 || words[2].text.find_first_of("*?[") != std::string::npos) {
    return std::nullopt;
  }
  if (words[1].text == "=" || words[1].text == "==") return words[0].text == words[2].text;
  if (words[1].text == "!=") return words[0].text != words[2].text;
  return std::nullopt;
}

}  // namespace

std::string_view base_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

std::optional<bool> result_of(const std::vector<ShellCommand>& condition, std::string_view text,
                              ShellVariables& variables) {
  if (condition.size() != 1 || condition[0].kind != ShellCommand::Kind::simple) return std::nullopt;
  std::vector<ShellValue> words;
  for (const Range word : condition[0].words) {
    for (ShellValue& value : expand(text, word, variables)) words.push_back(std::move(value));
  }
  const std::optional<bool> result = result_of_test(std::move(words));
  return result && condition[0].negated ? !*result : result;
}

void strip_wrappers(std::vector<ScriptWord>& words) {
  const auto is = [](const ScriptWord& word, const auto& names) {
    return std::ranges::find(names, base_name(word.value.text)) != std::end(names);
  };
  while (!words.empty() && is(words[0], wrappers)) {
    const bool has_time = base_name(words[0].value.text) == "timeout";
    words.erase(words.begin());
    bool took_time = !has_time;
    while (!words.empty()) {
      const std::string& text = words[0].value.text;
      const bool is_assignment = text.find('=') != text.npos && !text.starts_with('=');
      if (!text.starts_with('-') && !is_assignment && took_time) break;
      took_time = took_time || !text.starts_with('-');
      words.erase(words.begin());
    }
  }
  // `slipway run -- srun …`: the same step.
  if (words.size() > 2 && base_name(words[0].value.text) == "slipway" &&
      words[1].value.text == "run") {
    const auto step = std::ranges::find_if(
        words, [](const ScriptWord& word) { return base_name(word.value.text) == "srun"; });
    words.erase(words.begin(), step);
  }
}

bool is_step(const std::vector<ScriptWord>& words) {
  const std::string_view name = base_name(words[0].value.text);
  return name == "srun" ||
         (name == "slipway" && words.size() > 1 && words[1].value.text == "launch");
}

std::optional<Import> import_of(const ScriptCommand& command) {
  const std::vector<ScriptWord>& words = command.words;
  const std::string_view name = base_name(words[0].value.text);
  const size_t verb =
      name == "slipway" && words.size() > 1 && words[1].value.text == "container" ? 2 : 1;
  if ((name != "enroot" && verb == 1) || words.size() <= verb ||
      words[verb].value.text != "import") {
    return std::nullopt;
  }
  Import import;
  import.place = command.place;
  for (size_t i = verb + 1; i < words.size(); ++i) {
    const ShellValue& word = words[i].value;
    if ((word.text == "--output" || word.text == "-o") && i + 1 < words.size()) {
      import.file = words[++i].value;
    } else if (word.text.starts_with("--output=")) {
      import.file = {word.text.substr(9), word.unknown};
    } else if (!word.text.starts_with('-')) {
      import.image = word;
    }
  }
  return import.image.text.empty() ? std::nullopt : std::optional(import);
}

std::vector<std::string> variables_read_by(const std::vector<ScriptWord>& words) {
  std::vector<std::string> names;
  const bool prints = words[0].value.text == "printf";
  for (size_t i = 1; i < words.size(); ++i) {
    const std::string& word = words[i].value.text;
    if (prints && word == "-v" && i + 1 < words.size()) names.push_back(words[i + 1].value.text);
    if (!prints && !word.starts_with('-')) names.push_back(word);
  }
  return names;
}

bool is_of_every_shell(std::string_view name) {
  return std::ranges::find(of_every_shell, base_name(name)) != of_every_shell.end();
}

size_t end_of_expansion_in(std::string_view text) {
  return text.empty() || (text[0] != '$' && text[0] != '`') ? 1 : end_of_expansion(text, 0);
}

}  // namespace slipway::job_script
