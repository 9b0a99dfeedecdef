// Tests of reading #SBATCH lines and options. The expected words are those of sbatch 22.05.
#include "launcher/job_script/header.h"

#include "launcher/job_script/options.h"
#include "tests/unit/catch.h"

using namespace slipway::job_script;
using Words = std::vector<std::string>;

namespace {

Words words_of(const std::string& script) {
  Words words;
  for (const HeaderWord& word : read_header(script).words) words.push_back(word.text);
  return words;
}

std::string given(SlurmProgram program, const Words& words) {
  std::string text;
  for (const GivenOption& option : parse_options(program, words).given) {
    text += option.name + "=" + option.value.value_or("-") + " ";
  }
  return text;
}

}  // namespace

TEST_CASE("job script header: words follow sbatch's quotes, escapes and comments") {
  CHECK(words_of(R"(#SBATCH --comment="a 'b' #c" -J 'd "e"'
#SBATCH --output=f\ g"h i"\"  --wrap=#none
#SBATCH "" --never)") ==
        Words{"--comment=a 'b' #c", "-J", "d \"e\"", "--output=f gh i\"", "--wrap="});
}

TEST_CASE("job script header: a word's place has its quotes") {
  const std::string script = "#!/bin/bash\n#SBATCH --nodes=4 'a b' # four\n";
  const Header header = read_header(script);
  REQUIRE(header.words.size() == 2);
  CHECK(script.substr(header.words[0].begin, header.words[0].end - header.words[0].begin) ==
        "--nodes=4");
  CHECK(script.substr(header.words[1].begin, header.words[1].end - header.words[1].begin) ==
        "'a b'");
  CHECK(header.end == script.size());
}

TEST_CASE("job script header: it ends at the first command, and at the second component") {
  CHECK(words_of("#SBATCH -N1\ntrue\n#SBATCH -N2\n") == Words{"-N1"});
  const Header header = read_header("#SBATCH -N1\n#SBATCH hetjob\n#SBATCH -N2\n");
  CHECK(header.words.size() == 1);
  REQUIRE(header.next_component);
  CHECK(header.next_component->begin == 20);
}

TEST_CASE("job options: long, short, joined and abbreviated ones have one name") {
  CHECK(given(SlurmProgram::sbatch, {"-N", "4", "--ntasks-per-node=8", "-Jx", "--exclusive"}) ==
        "nodes=4 ntasks-per-node=8 job-name=x exclusive=- ");
  CHECK(given(SlurmProgram::sbatch, {"--tasks-per-node", "8", "--job-n=y"}) ==
        "ntasks-per-node=8 job-name=y ");
  CHECK(given(SlurmProgram::srun, {"-lN2", "--mpi=pmix", "-K", "a.out", "-n", "4"}) ==
        "label=- nodes=2 mpi=pmix kill-on-bad-exit=- ");
}

TEST_CASE("job options: each knows its words, joined flags too") {
  using Place = std::pair<size_t, size_t>;
  std::vector<Place> places;
  const Words words{"-HvN2", "-Ht", "10", "--nodes", "4", "--exclusive"};
  for (const GivenOption& option : parse_options(SlurmProgram::sbatch, words).given) {
    places.emplace_back(option.first, option.last);
  }
  CHECK(places == std::vector<Place>{{0, 0}, {0, 0}, {0, 0}, {1, 1}, {1, 2}, {3, 4}, {5, 5}});
}

TEST_CASE("job options: where the command begins, and what is wrong") {
  const ParsedOptions parsed =
      parse_options(SlurmProgram::srun, {"--nodes=2", "--nosuch", "--", "a.out", "-n", "4"});
  CHECK(parsed.end == 3);
  REQUIRE(parsed.bad.size() == 1);
  CHECK(parsed.bad[0].word == 1);
  CHECK(parsed.text("nodes") == "2");
  CHECK(parsed.find("ntasks") == nullptr);
  const ParsedOptions open = parse_options(SlurmProgram::sbatch, {"--nodes"});
  REQUIRE(open.bad.size() == 1);
  CHECK(open.bad[0].needs_value);
}
