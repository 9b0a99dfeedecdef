#include "launcher/job/failure_words.h"

#include "common/file.h"
#include "launcher/source/diagnostics.h"
#include "tests/unit/catch.h"
#include "tests/unit/job/published.h"
#include "tests/unit/temporary_directory.h"

using namespace slipway::job;

namespace {

std::string complaints(const std::string& text) {
  TemporaryDirectory folder;
  slipway::write_file(folder / "failure_words.yaml", text);
  slipway::source::Sources sources;
  slipway::source::Diagnostics diagnostics(sources);
  load_failure_words(folder.path(), sources, diagnostics);
  return folder.relative(render(diagnostics));
}

constexpr const char* none = "program: []\neither: []\npeer: []\nsilence: []\n";

}  // namespace

TEST_CASE("failure words: the shipped patterns are valid") {
  slipway::source::Sources sources;
  slipway::source::Diagnostics diagnostics(sources);
  load_failure_words(shipped_catalogue, sources, diagnostics);
  CHECK(render(diagnostics) == "");
}

TEST_CASE("failure words: an error in the file is reported at its position") {
  const std::string head = "sources: {us: we}\n";
  CHECK(complaints(head + none + "node:\n- {match: a*b, line: xaxbx, seen: here, source: us}\n") ==
        "");
  const std::string wrong_line =
      complaints(head + none + "node:\n- {match: a*b, line: xbxa, seen: here, source: us}\n");
  CHECK(wrong_line.find("failure_words.yaml:7:22") != std::string::npos);
  CHECK(wrong_line.find("the pattern does not match its own line") != std::string::npos);
  CHECK(complaints(head + none + "node:\n- {match: a, line: a, seen: here, source: you}\n")
            .find("there is no source `you`") != std::string::npos);
  CHECK(complaints(head + none + "node:\n- {match: a, line: a, source: us}\n").find("seen") !=
        std::string::npos);
  CHECK(complaints(head + none + "node:\n- {match: \"**\", line: a, seen: here, source: us}\n")
            .find("matches every line") != std::string::npos);
  CHECK(complaints(head + none).find("node") != std::string::npos);
}
