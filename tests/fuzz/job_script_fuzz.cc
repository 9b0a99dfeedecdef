// Fuzz target: job scripts. Reading any text ends soon, and each place that it finds is within the
// script.
#include <cstdint>
#include <string>

#include "launcher/job_script/job.h"
#include "tests/fuzz/check.h"

namespace {

using namespace slipway::job_script;
using namespace slipway::source;
using slipway::fuzz::require;

void check_place(Span place, Span script, const char* what) {
  if (!place) return;
  require(script.begin <= place.begin && place.begin <= place.end && place.end <= script.end,
          std::string(what) + " is in the script");
}

void check_options(const std::vector<ScriptOption>& options, Span script) {
  for (const ScriptOption& option : options) check_place(option.place, script, "an option");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Sources sources;
  Diagnostics diagnostics(sources);
  const std::string text(reinterpret_cast<const char*>(data), size);
  WalkInput input;
  input.script = sources.add("job.sbatch", text);
  input.folder = "/nonexistent";
  input.arguments = {"first", "the second"};
  const JobScript job = read_job("job.sbatch", input, sources, diagnostics);
  check_options(job.options, input.script);
  for (const JobStep& step : job.steps) {
    require(!step.command.words.empty(), "a step has a program");
    check_place(step.command.place, input.script, "a step");
    check_options(step.options, input.script);
  }
  for (const ScriptCommand& command : job.walked.programs) {
    require(!command.words.empty(), "a command has a program");
    check_place(command.place, input.script, "a command");
  }
  for (const Parameter& one : job.walked.parameters) check_place(one.place, input.script, "a ${}");
  for (const ScriptWord& word : words_for_slipway(text, input.script)) {
    check_place(word.place, input.script, "a word for Slipway");
  }
  render(diagnostics);
  return 0;
}
