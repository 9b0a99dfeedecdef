// Tests of rules about a program's output, and of lines.
#include "launcher/job/log_rules.h"

#include <fmt/core.h>

#include "common/file.h"
#include "launcher/job/output_lines.h"
#include "tests/unit/catch.h"
#include "tests/unit/temporary_directory.h"

using namespace slipway;
using namespace slipway::job;

namespace {

// The rules of a text, or what is wrong with it.
std::vector<LogRule> rules_of(const std::string& text, std::string& complaint) {
  const TemporaryDirectory folder;
  write_file(folder / "rules.yaml", text);
  source::Sources sources;
  source::Diagnostics diagnostics(sources);
  auto rules = read_log_rules(folder / "rules.yaml", sources, diagnostics);
  complaint = folder.relative(render(diagnostics));
  return rules;
}

LogWatch watch_of(const std::string& text) {
  std::string complaint;
  auto rules = rules_of(text, complaint);
  REQUIRE(complaint == "");
  LogWatch watch(std::move(rules));
  watch.begin(0);
  return watch;
}

using LogTexts = std::vector<std::string>;
using LogFaults = std::vector<LogFault>;

}  // namespace

TEST_CASE("log rules: a line that has to come in time, and then again and again") {
  LogWatch watch = watch_of(
      "logMonitoringConfiguration:\n- name: steps\n  logPattern: 'Batch \\d+'\n"
      "  expectedStartCutOffInSeconds: 600\n  expectedRecurringFrequencyInSeconds: 60\n");
  CHECK(watch.faults(600).empty());
  watch.line(601, 0, "Epoch 0 Batch 1");
  CHECK(watch.faults(661).empty());
  CHECK(watch.faults(662) == LogFaults{{"`steps`: no match for 60 s"}});
  CHECK(watch.faults(800).empty());  // once
  watch.begin(1000);
  CHECK(watch.faults(1601) == LogFaults{{"`steps`: no match within 600 s of the start"}});
}

TEST_CASE("log rules: a number below its threshold, several times in a row") {
  LogWatch watch = watch_of(
      R"([{"name": "speed", "logPattern": "(\\S+) TFLOPS", "metricThreshold": 80, "operator": "lteq", "metricEvaluationDataPoints": 2}])");
  for (const char* line : {"90 TFLOPS", "70 TFLOPS", "81 TFLOPS", "80 TFLOPS"})
    watch.line(1, 3, line);
  CHECK(watch.faults(2).empty());
  watch.line(3, 3, "loss 1, nan TFLOPS");
  CHECK(watch.faults(3) ==
        LogFaults{{"`speed`: the value of rank 3 is nan, and lteq 80 is a fault", 3}});
}

TEST_CASE("log rules: a line that must not come") {
  LogWatch watch = watch_of("- {name: nan, logPattern: 'loss: nan', faultOnMatch: true}\n");
  watch.line(1, 7, "step 5 loss: nan");
  CHECK(watch.faults(1) == LogFaults{{"`nan`: rank 7 wrote `step 5 loss: nan`", 7}});
}

TEST_CASE("log rules: everything that is wrong in a file is reported at its place") {
  std::string complaint;
  rules_of(
      "- {name: a, logPatern: x}\n- {name: b, logPattern: '(', faultOnMatch: yes}\n"
      "- {name: c, logPattern: x, metricThreshold: 5, operator: below}\n",
      complaint);
  CHECK_THAT(complaint, ContainsSubstring("a rule has no key `logPatern`"));
  CHECK_THAT(complaint, ContainsSubstring("did you mean `logPattern`?"));
  CHECK_THAT(complaint, ContainsSubstring("a rule needs `name` and `logPattern`"));
  CHECK_THAT(complaint, ContainsSubstring("not a regular expression (RE2): missing )"));
  CHECK_THAT(complaint, ContainsSubstring("`faultOnMatch` must be `true` or `false`"));
  CHECK_THAT(complaint, ContainsSubstring("`below` is not an operator"));
  CHECK_THAT(complaint, ContainsSubstring("`metricThreshold` needs a group in `logPattern`"));
  rules_of("other: []\n", complaint);
  CHECK_THAT(complaint,
             ContainsSubstring(
                 "expected a list of rules, or a mapping with `logMonitoringConfiguration`"));
}

TEST_CASE(
    "output lines: pieces are put together, and a progress bar's line ends with a carriage "
    "return") {
  OutputLines lines;
  LogTexts seen;
  const auto add = [&](int64_t rank, const std::string& bytes) {
    lines.add(rank, 1, bytes, [&](std::string_view line) { seen.emplace_back(line); });
  };
  add(0, "step ");
  add(1, "other\n");
  add(0, "12\nstep 13\r10 %");
  add(0, std::string(1 << 20, 'x') + "\n");
  REQUIRE(seen.size() == 4);
  CHECK(LogTexts(seen.begin(), seen.begin() + 3) == LogTexts{"other", "step 12", "step 13"});
  CHECK(seen[3].size() == 4096);
}
