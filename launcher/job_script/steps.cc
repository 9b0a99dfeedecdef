// The commands that start tasks: srun, and `slipway launch`.
#include "launcher/job_script/steps.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "common/text.h"
#include "launcher/job_script/resources.h"
#include "launcher/job_script/walk_commands.h"

namespace slipway::job_script {
namespace {

using source::Code;
using source::Diagnostics;

// Of `slipway launch` and the plugins: those without a value.
constexpr auto flags_of_launch = std::to_array<std::string_view>(
    {"explain", "label", "nccl-watch", "no-kill", "container-entrypoint",
     "container-entrypoint-log", "container-mount-home", "container-readonly",
     "container-remap-root", "container-writable", "no-container-entrypoint",
     "no-container-mount-home", "no-container-remap-root"});

source::Span from_to(const std::vector<ScriptWord>& words, size_t first, size_t last) {
  const source::Span begin = words[first].place, end = words[last].place;
  return end.begin >= begin.begin ? source::join(begin, end) : begin;
}

// A word like ${A:+--option}, which may be nothing or several words.
bool may_vanish(const ShellValue& value) {
  return !value.is_known() && value.text.starts_with("${") &&
         value.text.find(":+") != std::string::npos;
}

size_t read_launch_options(const std::vector<ScriptWord>& words,
                           std::vector<ScriptOption>& options) {
  size_t at = 0;
  while (at < words.size()) {
    const ShellValue& word = words[at].value;
    if (word.text == "--") return at + 1;
    if (!word.text.starts_with("--")) return at;
    ScriptOption option;
    const size_t equals = word.text.find('=');
    option.name = word.text.substr(2, equals == word.text.npos ? equals : equals - 2);
    option.place = words[at].place;
    const bool is_flag = std::ranges::find(flags_of_launch, option.name) != flags_of_launch.end();
    if (equals != word.text.npos) {
      option.has_value = true;
      option.value = {word.text.substr(equals + 1), word.unknown};
    } else if (!is_flag && at + 1 < words.size()) {
      option.has_value = true;
      option.value = words[++at].value;
      option.place = source::join(option.place, words[at].place);
    }
    options.push_back(std::move(option));
    ++at;
  }
  return at;
}

std::vector<ContainerMount> mounts_of(const ScriptOption& option) {
  std::vector<ContainerMount> mounts;
  for (const std::string& entry : split(option.value.text, ',')) {
    if (entry.empty() || entry.starts_with("${")) continue;
    // A colon in braces belongs to an expansion.
    std::vector<std::string> parts(1);
    int depth = 0;
    for (const char c : entry) {
      depth += (c == '{') - (c == '}');
      if (c == ':' && depth == 0)
        parts.emplace_back();
      else
        parts.back() += c;
    }
    ContainerMount mount{parts[0], parts.size() > 1 ? parts[1] : parts[0], {}, {}};
    if (parts.size() > 2) mount.flags = split(parts[2], '+');
    for (const std::string& name : option.value.unknown) {
      if (entry.find(name) != std::string::npos || name.starts_with("$(")) {
        mount.unknown.push_back(name);
      }
    }
    mounts.push_back(std::move(mount));
  }
  return mounts;
}

}  // namespace

size_t read_options_of(SlurmProgram program, const std::vector<ScriptWord>& words,
                       std::vector<ScriptOption>& options, Diagnostics& diagnostics) {
  std::vector<ScriptWord> kept;
  std::vector<size_t> numbers;
  for (size_t i = 0; i < words.size(); ++i) {
    if (may_vanish(words[i].value)) continue;
    kept.push_back(words[i]);
    numbers.push_back(i);
  }
  if (kept.empty()) return words.size();
  std::vector<std::string> texts;
  for (const ScriptWord& word : kept) texts.push_back(word.value.text);
  const ParsedOptions parsed = parse_options(program, texts);
  for (const GivenOption& given : parsed.given) {
    ScriptOption option{
        given.name, given.value.has_value(), {}, from_to(kept, given.first, given.last)};
    option.value.text = given.value.value_or("");
    for (size_t i = given.first; i <= given.last; ++i) {
      for (const std::string& name : kept[i].value.unknown) option.value.unknown.push_back(name);
    }
    options.push_back(std::move(option));
  }
  const char* const name = program == SlurmProgram::sbatch ? "sbatch" : "srun";
  for (const BadOption& bad : parsed.bad) {
    const ScriptWord& word = kept[bad.word];
    if (!word.value.is_known()) continue;
    const std::string typed = word.value.text.substr(0, word.value.text.find('='));
    if (bad.needs_value) {
      diagnostics.error(Code::bad_job_script, word.place, fmt::format("`{}` needs a value", typed));
      continue;
    }
    const std::string guess =
        typed.size() > 2 ? nearest(std::string_view(typed).substr(2), option_names(program)) : "";
    diagnostics
        .error(Code::bad_job_script, word.place, fmt::format("{} has no option `{}`", name, typed))
        .help(guess.empty() ? "" : fmt::format("did you mean `--{}`?", guess));
  }
  return parsed.end < numbers.size() ? numbers[parsed.end] : words.size();
}

JobStep read_step(ScriptCommand command, Diagnostics& diagnostics) {
  JobStep step;
  const bool is_srun = base_name(command.words[0].value.text) == "srun";
  step.is_launch = !is_srun;
  const size_t skipped = is_srun ? 1 : 2;
  const std::vector<ScriptWord> words(command.words.begin() + static_cast<ptrdiff_t>(skipped),
                                      command.words.end());
  const size_t end = is_srun ? read_options_of(SlurmProgram::srun, words, step.options, diagnostics)
                             : read_launch_options(words, step.options);
  step.program.assign(words.begin() + static_cast<ptrdiff_t>(end), words.end());
  step.command = std::move(command);
  for (const ScriptOption& option : step.options) {
    if (option.name == "container-mounts") step.mounts = mounts_of(option);
  }
  step.resources = read_resources(step.options, diagnostics);
  return step;
}

}  // namespace slipway::job_script
