// What people read about a verdict.
#include "launcher/job/verdict_text.h"

#include <fmt/core.h>

#include "common/host_list.h"
#include "common/text.h"

namespace slipway::job {
namespace {

std::string whom(const Verdict& verdict) {
  return verdict.blame == Blame::node ? names_of_nodes(verdict.nodes)
                                      : std::string(blame_name(verdict.blame));
}

}  // namespace

std::vector<std::string> verdict_lines(int64_t attempt, const Verdict& verdict) {
  std::vector<std::string> lines = {
      fmt::format("attempt {}: {}, blamed: {}", attempt, verdict.what, whom(verdict))};
  for (const std::string& line : verdict.evidence) lines.push_back("  " + line);
  return lines;
}

std::string requeue_comment(const Verdict& verdict) {
  return fmt::format("{}: {}", verdict.what, join(verdict.evidence, "; ")).substr(0, 1000);
}

}  // namespace slipway::job
