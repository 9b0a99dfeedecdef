// Tests of finding what a script starts, exports and imports.
#include "launcher/job_script/walk.h"

#include <fstream>

#include "common/text.h"
#include "tests/unit/catch.h"
#include "tests/unit/temporary_directory.h"

using namespace slipway;
using namespace slipway::job_script;

namespace {

struct Result {
  source::Sources sources;
  Walked walked;
};

std::unique_ptr<Result> walk_text(const std::string& text,
                                  std::map<std::string, std::string> environment = {},
                                  std::filesystem::path folder = {}) {
  auto result = std::make_unique<Result>();
  WalkInput input;
  input.script = result->sources.add("job", text);
  input.environment = std::move(environment);
  input.folder = std::move(folder);
  result->walked = walk(input, result->sources);
  return result;
}

std::string text_of(const ScriptCommand& command) {
  std::vector<std::string> words;
  for (const ScriptWord& word : command.words) words.push_back(word.value.text);
  std::string text = join(words, " ");
  if (command.conditional) text += " ?";
  if (command.repeated) text += " *";
  if (command.in_background) text += " &";
  return text;
}

std::string steps_of(const std::string& text, std::map<std::string, std::string> environment = {}) {
  std::vector<std::string> steps;
  const auto result = walk_text(text, std::move(environment));
  for (const ScriptCommand& step : result->walked.steps) {
    steps.push_back(text_of(step));
  }
  return join(steps, "; ");
}

}  // namespace

TEST_CASE("walk: steps, with the values of their variables") {
  CHECK(steps_of("a=x\nb=\"$a y\"\nsrun --image=\"$b\" $b /bin/c\n") ==
        "srun --image=x y x y /bin/c");
  CHECK(steps_of("/usr/bin/srun a; exec srun b; timeout 60 srun c; slipway run -- srun d") ==
        "/usr/bin/srun a; srun b; srun c; srun d");
  CHECK(steps_of("${LAUNCH:-srun} a\n") == "srun a");
  CHECK(steps_of("${LAUNCH:-srun} a\n", {{"LAUNCH", "slipway launch --spares 1"}}) ==
        "slipway launch --spares 1 a");
}

TEST_CASE("walk: a step in a function counts at each call, with its arguments") {
  CHECK(steps_of(
            "f() { local what=$1; shift; srun \"${what}_perf\" \"$@\"; }\nf a -x 'y z'\nf b\n") ==
        "srun a_perf -x y z; srun b_perf");
  const auto result = walk_text("f() {\n  srun a\n}\nf\n");
  REQUIRE(result->walked.steps.size() == 1);
  CHECK(result->sources.place(result->walked.steps[0].place.begin).line == 2);
  CHECK(result->sources.place(result->walked.steps[0].called_at.begin).line == 4);
  CHECK(steps_of("f() { f; srun a; }\nf\n").size() < 1000);
}

TEST_CASE("walk: what may not run, runs again, or runs beside the script") {
  CHECK(steps_of("if [ -e x ]; then srun a; fi; for i in 1 2; do srun b; done; srun c & srun d || "
                 "srun e") == "srun a ?; srun b ? *; srun c &; srun d; srun e ?");
}

TEST_CASE("walk: a condition that is known decides") {
  const std::string script =
      "launch=(srun)\nif [ -n \"${IMAGE:-}\" ]; then launch+=(--image \"$IMAGE\"); fi\n"
      "\"${launch[@]}\" a\n";
  CHECK(steps_of(script) == "srun a");
  CHECK(steps_of(script, {{"IMAGE", "x y"}}) == "srun --image x y a");
  CHECK(steps_of("if ! [ a = a ]; then srun a; else srun b; fi") == "srun b");
}

TEST_CASE("walk: a variable that a condition sets has an unknown value") {
  CHECK(steps_of("a=1\nif x; then a=2; fi\nsrun $a\n") == "srun $a");
  CHECK(steps_of("a=1\nx || a=1\nsrun $a\n") == "srun 1");
  CHECK(steps_of("read -r a\nsrun $a; for b in 1; do :; done; srun $b") == "srun $a; srun $b");
}

TEST_CASE("walk: exports, parameters and imports") {
  const auto result = walk_text(
      "image=${IMAGE:-$HOME/a.sqsh}\nexport A=\"x y\" B\nM=$(host)\nexport M\nunset C\n"
      "if [ ! -e \"$image\" ]; then enroot import --output \"$image\" -- 'docker://r#i:t'; fi\n");
  const Walked& walked = result->walked;
  REQUIRE(walked.exports.size() == 3);
  CHECK(walked.exports[0].value.text == "x y");
  CHECK(walked.exports[1].name == "M");
  CHECK(walked.exports[1].value.text == "$(host)");
  CHECK_FALSE(walked.exports[1].value.is_known());
  CHECK(walked.exports[2].is_removal);
  REQUIRE(walked.parameters.size() == 1);
  CHECK(result->sources.text(walked.parameters[0].place) == "${IMAGE:-$HOME/a.sqsh}");
  REQUIRE(walked.imports.size() == 1);
  CHECK(walked.imports[0].file.text == "$HOME/a.sqsh");
  CHECK(walked.imports[0].image.text == "docker://r#i:t");
}

TEST_CASE("walk: a sourced file is read beside the script, or named") {
  const TemporaryDirectory folder;
  std::ofstream(folder.path() / "common.sh") << "measure() { srun \"$1\"; }\n";
  const std::string script =
      "here=${HERE:-/opt/none}\n. \"$here/common.sh\"\nmeasure a\n. ./other.sh\n";
  const auto result = walk_text(script, {}, folder.path());
  REQUIRE(result->walked.steps.size() == 1);
  CHECK(text_of(result->walked.steps[0]) == "srun a");
  REQUIRE(result->walked.not_read.size() == 1);
  CHECK(result->sources.text(result->walked.not_read[0]) == "./other.sh");
}

TEST_CASE("walk: other programs are listed, and builtins are not") {
  const auto result = walk_text("cd /x; echo a; mpirun b; python3 c.py; [ -e d ]\n");
  REQUIRE(result->walked.programs.size() == 2);
  CHECK(text_of(result->walked.programs[0]) == "mpirun b");
  CHECK(text_of(result->walked.programs[1]) == "python3 c.py");
}

TEST_CASE("walk: functions that call each other many times end") {
  std::string script;
  for (int i = 0; i < 30; ++i) {
    script += "f" + std::to_string(i) + "() { f" + std::to_string(i + 1) + "; f" +
              std::to_string(i + 1) + "; }\n";
  }
  CHECK(steps_of(script + "f0\nsrun a\n").size() < 10);
}
