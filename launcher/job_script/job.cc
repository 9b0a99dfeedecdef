// A job as its sbatch script describes it.
#include "launcher/job_script/job.h"

#include <fmt/core.h>

#include <algorithm>

#include "common/text.h"
#include "launcher/job_script/header.h"
#include "launcher/job_script/resources.h"
#include "launcher/job_script/steps.h"

namespace slipway::job_script {
namespace {

using source::Code;
using source::Diagnostics;
using source::Span;

Span in_script(const HeaderWord& word, Span script) {
  return {script.begin + static_cast<uint32_t>(word.begin),
          script.begin + static_cast<uint32_t>(word.end)};
}

void read_header_options(const Header& header, JobScript& job, Diagnostics& diagnostics) {
  std::vector<ScriptWord> words;
  for (const HeaderWord& word : header.words) {
    words.push_back({{word.text, {}}, in_script(word, job.text)});
  }
  const size_t end = read_options_of(SlurmProgram::sbatch, words, job.options, diagnostics);
  if (end < words.size()) {
    diagnostics
        .error(Code::bad_job_script, words[end].place,
               fmt::format("`{}` is not an option of sbatch", words[end].value.text))
        .help("sbatch reads no options after this word");
  }
}

}  // namespace

const ScriptOption* find_option(const std::vector<ScriptOption>& options, std::string_view name) {
  const auto found = std::find_if(options.rbegin(), options.rend(),
                                  [&](const ScriptOption& option) { return option.name == name; });
  return found == options.rend() ? nullptr : &*found;
}

const ScriptOption* JobStep::find(std::string_view name) const {
  return find_option(options, name);
}

const ScriptOption* JobScript::find(std::string_view name) const {
  return find_option(options, name);
}

std::string JobScript::text_of(std::string_view option) const {
  const ScriptOption* const found = find(option);
  return found == nullptr ? "" : found->value.text;
}

JobScript read_job(const std::string& name, const WalkInput& input, source::Sources& sources,
                   Diagnostics& diagnostics) {
  JobScript job;
  job.name = name;
  job.text = input.script;
  const std::string text(sources.text(input.script));
  const Header header = read_header(text);
  if (!text.starts_with("#!")) {
    diagnostics
        .error(Code::bad_job_script, {job.text.begin, job.text.begin + 1},
               "the script does not begin with `#!`")
        .help("begin it with `#!/bin/bash`");
  }
  if (header.next_component) job.next_component = in_script(*header.next_component, job.text);
  read_header_options(header, job, diagnostics);
  job.resources = read_resources(job.options, diagnostics);
  job.walked = walk(input, sources);
  for (ScriptCommand& command : job.walked.steps) {
    job.steps.push_back(read_step(std::move(command), diagnostics));
  }
  job.walked.steps.clear();
  return job;
}

std::vector<ScriptWord> words_for_slipway(std::string_view script, Span place) {
  constexpr std::string_view mark = "#SLIPWAY";
  std::string lines(script.substr(0, read_header(script).end));
  // The notation is that of #SBATCH lines, so these are made to look like them.
  constexpr std::string_view slurms = "#SBATCH ";
  std::vector<ScriptWord> words;
  size_t begin = 0;
  for (const std::string& line : split(lines, '\n')) {
    if (line.starts_with(mark)) {
      std::string copy = line;
      copy.replace(0, mark.size(), slurms);
      for (const HeaderWord& word : read_header(copy).words) {
        const auto at = static_cast<uint32_t>(begin + mark.size() - slurms.size());
        words.push_back({{word.text, {}},
                         {place.begin + at + static_cast<uint32_t>(word.begin),
                          place.begin + at + static_cast<uint32_t>(word.end)}});
      }
    }
    begin += line.size() + 1;
  }
  return words;
}

}  // namespace slipway::job_script
