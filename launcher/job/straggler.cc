// Decides which host slows a job down, from what a profiler plugin of NCCL reports.
#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "common/median.h"
#include "launcher/job/watch_judge.h"

namespace slipway::job {
namespace {

constexpr size_t most_communicators = 4096;
constexpr size_t fewest_groups = 4;   // communicators of one size, to compare their speed
constexpr size_t fewest_speeds = 20;  // in a window: below that, a median says little
// Windows in a row without a comparison before we report it: a program begins with other things.
constexpr int64_t windows_to_wait = 4;
// Of a host's lateness, what its program must have to be the cause, and what shows that it is not.
constexpr double mostly = 0.5, hardly = 0.2;

// Empty if it is not known, or between the two.
std::string why_late(const CollectiveTimes::Lateness& late) {
  if (!late.of_program) return "";
  if (*late.of_program >= mostly * late.share) return "; its program calls them late";
  if (*late.of_program <= hardly * late.share)
    return "; its program calls them in time, so its GPUs are slow";
  return "";
}

}  // namespace

void WatchJudge::add(double now, const RankCollective& seen) {
  if (seen.rank < 0 || seen.rank >= static_cast<int64_t>(ranks_.size())) return;
  if (!communicators_.contains(seen.communicator) && communicators_.size() >= most_communicators)
    return;
  if (communicators_[seen.communicator].add(seen)) alive(now);
}

bool WatchJudge::spans_hosts(const CollectiveTimes& communicator) const {
  const std::string* first = nullptr;
  for (const auto& [function, last] : communicator.last()) {
    for (const auto& [rank, sequence] : last) {
      const std::string& host = nodes_[static_cast<size_t>(rank)];
      if (first == nullptr) first = &host;
      if (*first != host) return true;
    }
  }
  return false;
}

// By host, in the communicator where the others wait most for it.
std::map<std::string, CollectiveTimes::Lateness> WatchJudge::lateness(double seconds) {
  std::map<std::string, CollectiveTimes::Lateness> worst;
  bool is_comparable = false;
  for (const auto& [name, communicator] : communicators_) {
    is_comparable = is_comparable || (!communicator.is_empty() && spans_hosts(communicator));
    for (const auto& [host, late] : communicator.lateness(nodes_, seconds)) {
      const auto known = worst.emplace(host, late).first;
      if (late.share > known->second.share) known->second = late;
    }
  }
  if (windows_without_ >= 0)
    windows_without_ = !worst.empty() ? 0 : windows_without_ + is_comparable;
  return worst;
}

bool WatchJudge::cannot_compare() {
  if (windows_without_ < windows_to_wait) return false;
  windows_without_ = -1;
  return true;
}

// A host is in all slow communicators, and in no other.
std::optional<WatchFinding> WatchJudge::slow_link() const {
  // By the number of ranks and what they do.
  std::map<std::pair<int64_t, CollectiveTimes::Operation>,
           std::vector<std::pair<const CollectiveTimes*, double>>>
      groups;
  for (const auto& [name, communicator] : communicators_) {
    for (const auto& [operation, speeds] : communicator.speeds())
      if (speeds.size() >= fewest_speeds && communicator.ranks() > 1)
        groups[{communicator.ranks(), operation}].emplace_back(&communicator, median(speeds));
  }
  for (const auto& [kind, group] : groups) {
    if (group.size() < fewest_groups) continue;
    std::vector<double> speeds;
    for (const auto& [communicator, speed] : group) speeds.push_back(speed);
    const double usual = median(speeds);
    std::map<std::string, std::pair<size_t, size_t>> hosts;  // in slow ones, in all
    size_t slow = 0;
    double slowest = usual;
    for (const auto& [communicator, speed] : group) {
      const bool is_slow = speed < limits_.slow_link_share * usual;
      slow += is_slow ? 1 : 0;
      slowest = std::min(slowest, speed);
      std::set<std::string> own;
      for (const auto& [function, last] : communicator->last())
        for (const auto& [rank, sequence] : last) own.insert(nodes_[static_cast<size_t>(rank)]);
      for (const std::string& host : own) {
        hosts[host].first += is_slow ? 1 : 0;
        ++hosts[host].second;
      }
    }
    if (slow == 0 || slow * 2 >= group.size()) continue;
    std::vector<std::string> named;
    for (const auto& [host, counts] : hosts)
      if (counts.first == slow && counts.second == slow) named.push_back(host);
    if (named.size() != 1) continue;
    WatchFinding finding;
    finding.what = "slow link";
    finding.nodes = named;
    finding.share = 1 - slowest / usual;
    finding.evidence =
        fmt::format("collectives with {} reach {:.1f} GB/s, and {:.1f} GB/s without it", named[0],
                    slowest, usual);
    return finding;
  }
  return std::nullopt;
}

std::optional<WatchFinding> WatchJudge::straggler(double now) {
  const double seconds = now - window_began_;
  if (seconds < limits_.straggler_seconds) return std::nullopt;
  const std::map<std::string, CollectiveTimes::Lateness> late = lateness(seconds);
  std::optional<WatchFinding> found = slow_link();
  const auto worst =
      std::ranges::max_element(late, {}, [](const auto& each) { return each.second.share; });
  if (worst != late.end() && worst->second.share >= limits_.straggler_share) {
    found.emplace();
    found->what = "straggler";
    found->nodes = {worst->first};
    found->share = worst->second.share;
    found->evidence =
        fmt::format("{} enters collectives last: the others wait for it for {:.0f} % of the time{}",
                    worst->first, 100 * worst->second.share, why_late(worst->second));
  }
  const double began = std::exchange(window_began_, now);
  for (auto& [name, communicator] : communicators_) communicator.clear();
  const std::string host = found ? found->nodes.front() : "";
  if (std::exchange(late_host_, host) != host) {
    late_since_ = began;
    return std::nullopt;
  }
  if (host.empty()) told_host_.clear();
  if (host.empty() || std::exchange(told_host_, host) == host) return std::nullopt;
  found->since = late_since_;
  found->evidence += fmt::format(", since {:.0f} s", now - late_since_);
  return found;
}

}  // namespace slipway::job
