// Compares a failure with earlier failures of the same job.
//
// Ranks move between attempts (choose_nodes.h), so an application failure begins on the same node
// again with a chance of one in the number of nodes. How many repeats prove that the node is at
// fault depends on how often the application causes such failures.
#include "launcher/job/blame_repeats.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>
#include <limits>

namespace slipway::job {
namespace {

// At most one healthy node may be blamed for this many broken ones.
constexpr double sure = 300;
// A suspicion that needs more failures than this is not pursued.
constexpr int64_t most_times = 8;

// How often the application causes such a failure, for each time that a node does. Conservative
// estimates: programs fail far more often than nodes that pass every check.
double odds(const Verdict& verdict) {
  if (verdict.meaning == Meaning::program) return std::numeric_limits<double>::infinity();
  if (verdict.meaning == Meaning::either) return 3;
  return verdict.what == "exit" ? 30 : 10;
}

bool has_common(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  return std::ranges::any_of(
      a, [&](const std::string& each) { return std::ranges::find(b, each) != b.end(); });
}

// Signals that programs cause themselves, on any rank.
bool is_own_signal(const Verdict& verdict) {
  constexpr std::array own = {SIGSEGV, SIGABRT, SIGFPE, SIGILL};
  return std::ranges::find(own, verdict.signal) != own.end();
}

bool failed_alike(const Verdict& verdict, const Verdict& last, const FailureWords& words) {
  return verdict.rank >= 0 && verdict.what == last.what &&
         words.are_alike(verdict.message, last.message) &&
         (verdict.rank == last.rank || verdict.what == "exit" || is_own_signal(verdict));
}

// The chance that an application failure would begin on the suspect this many times in a row.
struct Repeats {
  int64_t times = 1;
  double chance = 1, odds = 0;
  double last = 1;  // the factor that the last failure contributed

  bool proves(double more = 1) const { return chance * more * odds * sure <= 1; }
};

Repeats repeats_of(const Verdict& verdict, const std::vector<Verdict>& before) {
  Repeats repeats;
  repeats.odds = odds(verdict);
  const Verdict* later = &verdict;
  for (auto each = before.rbegin(); each != before.rend(); ++each) {
    if (each->blame == Blame::unknown && each->suspect.empty()) continue;  // not evidence
    if (each->blame != Blame::unknown || each->suspect != verdict.suspect) break;
    if (each->rank >= 0 && each->rank == later->rank) break;  // the rank did not move in between
    ++repeats.times;
    double chance = 1 / static_cast<double>(later->places);
    // A node's first slot has more to do than the others, so programs fail there more often.
    if (later->slot > 0 && later->slot == each->slot) {
      chance /= static_cast<double>(later->slots);
    }
    repeats.chance *= chance;
    if (repeats.times == 2) repeats.last = chance;
    repeats.odds = std::max(repeats.odds, odds(*each));
    later = &*each;
  }
  return repeats;
}

void blame_application(Verdict& verdict, const Evidence& evidence, const Verdict& last) {
  verdict.blame = Blame::application;
  verdict.evidence.push_back(
      fmt::format("rank {} failed in the same way before{}", last.rank,
                  last.suspect.empty() ? "" : fmt::format(", on {}", last.suspect)));
  verdict.permanent = !evidence.progressed;
}

}  // namespace

void compare_with_before(Verdict& verdict, const Evidence& evidence,
                         const std::vector<Verdict>& before, const FailureWords& words) {
  if (verdict.blame == Blame::node || verdict.permanent || before.empty()) return;
  const Verdict& last = before.back();
  const bool comparable = verdict.meaning != Meaning::peer && last.blame != Blame::node;
  if (comparable && failed_alike(verdict, last, words)) {
    const bool moved = !verdict.origins.empty() && !last.origins.empty() &&
                       !has_common(verdict.origins, last.origins);
    const bool own = verdict.blame == Blame::application || last.blame == Blame::application ||
                     verdict.meaning == Meaning::program || evidence.nodes.size() == 1;
    // A failure on several nodes at once is not a node's fault, wherever it began before.
    const bool spread = verdict.origins.size() >= 2 && last.origins.size() >= 2;
    if (moved || own || spread) return blame_application(verdict, evidence, last);
  }
  if (verdict.blame != Blame::unknown || verdict.suspect.empty()) return;
  const Repeats repeats = repeats_of(verdict, before);
  verdict.times = repeats.times;
  if (repeats.times < 2) return;
  const double one_in = std::round(1 / repeats.chance);
  verdict.evidence.push_back(
      fmt::format("the last {} failures began on {}, with different ranks: 1 in {} by chance",
                  repeats.times, verdict.suspect, one_in));
  if (repeats.times < 3) return;
  if (!repeats.proves()) {
    const auto left = static_cast<double>(most_times - repeats.times);
    verdict.undecided = left > 0 && repeats.proves(std::pow(repeats.last, left));
    return;
  }
  verdict.blame = Blame::node;
  verdict.nodes = {verdict.suspect};
  verdict.accusations = {{verdict.suspect, health::Cause::failures}};
}

}  // namespace slipway::job
