#include "launcher/job/failures.h"

#include <cmath>

#include "common/file.h"
#include "launcher/source/diagnostics.h"
#include "tests/unit/catch.h"
#include "tests/unit/job/published.h"
#include "tests/unit/temporary_directory.h"

using namespace slipway::job;

namespace {

std::string said_of(const std::string& text) {
  TemporaryDirectory folder;
  slipway::write_file(folder / "failures.yaml", text);
  slipway::source::Sources sources;
  slipway::source::Diagnostics diagnostics(sources);
  load_failures(folder.path(), sources, diagnostics);
  return folder.relative(render(diagnostics));
}

}  // namespace

TEST_CASE("failures: the shipped profiles are valid") {
  slipway::source::Sources sources;
  slipway::source::Diagnostics diagnostics(sources);
  const auto profiles = load_failures(shipped_catalogue, sources, diagnostics);
  CHECK(render(diagnostics) == "");
  CHECK(profiles.size() == 4);
}

TEST_CASE("failures: Llama 3's causes add up to 419, one every 3.1 h") {
  const FailureProfile llama = shipped_profile("llama-3");
  int64_t count = 0;
  for (const Cause& cause : llama.causes) count += cause.count;
  CHECK(count == 419);
  CHECK(llama.per_1000_node_days == Approx(3.79).margin(0.005));
  CHECK(llama.hours_between_failures(2048) == Approx(3.1).margin(0.05));
}

TEST_CASE(
    "failures: the rate grows with the nodes, and matches RSC-1's projection for large jobs") {
  const FailureProfile rsc = shipped_profile("rsc-1");
  CHECK(rsc.hours_between_failures(2048) == Approx(1.8).margin(0.05));
  CHECK(rsc.hours_between_failures(16384) == Approx(0.23).margin(0.005));
  CHECK(rsc.hours_between_failures(128) == Approx(28.8).margin(0.05));
}

TEST_CASE(
    "failures: measured sizes are matched exactly, and interpolated between and beyond them") {
  const FailureProfile jobs = shipped_profile("rsc-1-jobs");
  CHECK(jobs.hours_between_failures(1) == Approx(47.7 * 24));
  CHECK(jobs.hours_between_failures(128) == Approx(7.9));
  CHECK(jobs.hours_between_failures(2048) == Approx(1.8));
  CHECK(jobs.hours_between_failures(512) == Approx(std::sqrt(7.9 * 1.8)));
  CHECK(jobs.hours_between_failures(2 * 16384) == Approx(0.23 / 2));
}

TEST_CASE("failures: an error in the file is reported at its position, with a suggestion") {
  const std::string said = said_of(
      "sources: {us: we}\n"
      "profiles:\n"
      "  mine:\n"
      "    about: a job\n"
      "    source: them\n"
      "    nodes: 0\n"
      "    gpus_per_node: 8\n"
      "    per_1000_node_dys: 3\n"
      "    days: 2\n"
      "    causes: [{name: fan, fault: nod, count: 1}]\n");
  CHECK_THAT(said, ContainsSubstring("there is no source `them`"));
  CHECK_THAT(
      said, ContainsSubstring("`nodes` of profile `mine` is `0`, expected a whole number above 0"));
  CHECK_THAT(said, ContainsSubstring("profile `mine` has an unknown key `per_1000_node_dys`"));
  CHECK_THAT(said, ContainsSubstring("did you mean `per_1000_node_days`?"));
  CHECK_THAT(said, ContainsSubstring("`fault` of a cause is `nod`, which is not listed"));
}

TEST_CASE("failures: sizes must rise") {
  const std::string said = said_of(
      "sources: {us: we}\n"
      "profiles:\n"
      "  mine:\n"
      "    about: a job\n"
      "    source: us\n"
      "    nodes: 4\n"
      "    gpus_per_node: 8\n"
      "    hours_between_failures: [{nodes: 4, hours: 3}, {nodes: 4, hours: 2}]\n"
      "    causes: [{name: fan, fault: node, count: 1}]\n");
  CHECK_THAT(said, ContainsSubstring("sizes must rise"));
}
