// Decides which host slows a job down, from what NCCL's inspector reports.
#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "common/median.h"
#include "launcher/job/watch_judge.h"

namespace slipway::job {
namespace {

constexpr size_t fewest_collectives = 20;  // in a window: below that, a median says little
constexpr size_t most_collectives = 4096;  // kept in a window, of a communicator
constexpr size_t most_communicators = 4096;
constexpr size_t fewest_groups = 4;  // communicators of one size, to compare their speed

}  // namespace

void WatchJudge::add(double now, const RankCollective& seen) {
  if (seen.rank < 0 || seen.rank >= static_cast<int64_t>(ranks_.size())) return;
  if (!communicators_.contains(seen.communicator) && communicators_.size() >= most_communicators)
    return;
  Communicator& communicator = communicators_[seen.communicator];
  communicator.ranks = std::max(communicator.ranks, seen.ranks);
  const auto [last, is_new] = communicator.last.emplace(seen.rank, seen.sequence);
  if (!is_new && seen.sequence <= last->second) return;
  last->second = seen.sequence;
  alive(now);
  if (communicator.collectives.size() >= most_collectives)
    communicator.collectives.erase(communicator.collectives.begin());
  communicator.collectives[seen.sequence][seen.rank] = seen.microseconds;
  if (seen.gb_per_second > 0 && communicator.speeds.size() < most_collectives)
    communicator.speeds.push_back(seen.gb_per_second);
}

// By host: how much of the time others wait for it, in the communicator where that is most.
std::map<std::string, double> WatchJudge::lateness(double seconds) const {
  std::map<std::string, double> worst;
  for (const auto& [name, communicator] : communicators_) {
    std::map<std::string, std::vector<double>> late;  // by host, seconds in each collective
    size_t whole = 0;
    for (const auto& [sequence, ranks] : communicator.collectives) {
      if (static_cast<int64_t>(ranks.size()) < communicator.ranks) continue;
      std::map<std::string, double> shortest;  // by host
      for (const auto& [rank, microseconds] : ranks) {
        const auto known = shortest.emplace(nodes_[static_cast<size_t>(rank)], microseconds).first;
        known->second = std::min(known->second, microseconds);
      }
      if (shortest.size() < 2) continue;
      ++whole;
      for (const auto& [host, own] : shortest) {
        std::vector<double> others;
        for (const auto& [other, time] : shortest)
          if (other != host) others.push_back(time);
        late[host].push_back((median(others) - own) / 1e6);
      }
    }
    if (whole < fewest_collectives) continue;
    const double period = seconds / static_cast<double>(whole);
    for (auto& [host, times] : late) {
      double& share = worst[host];
      share = std::max(share, median(times) / period);
    }
  }
  return worst;
}

// A host is in all slow communicators, and in no other.
std::optional<WatchFinding> WatchJudge::slow_link() const {
  std::map<int64_t, std::vector<std::pair<const Communicator*, double>>> groups;  // by size
  for (const auto& [name, communicator] : communicators_) {
    if (communicator.speeds.size() >= fewest_collectives && communicator.ranks > 1)
      groups[communicator.ranks].emplace_back(&communicator, median(communicator.speeds));
  }
  for (const auto& [size, group] : groups) {
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
      for (const auto& [rank, sequence] : communicator->last)
        own.insert(nodes_[static_cast<size_t>(rank)]);
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
  const std::map<std::string, double> late = lateness(seconds);
  std::optional<WatchFinding> found = slow_link();
  const auto worst =
      std::ranges::max_element(late, {}, [](const auto& each) { return each.second; });
  if (worst != late.end() && worst->second >= limits_.straggler_share) {
    found.emplace();
    found->what = "straggler";
    found->nodes = {worst->first};
    found->share = worst->second;
    found->evidence =
        fmt::format("{} enters collectives last: the others wait for it for {:.0f} % of the time",
                    worst->first, 100 * worst->second);
  }
  const double began = std::exchange(window_began_, now);
  for (auto& [name, communicator] : communicators_) {
    communicator.collectives.clear();
    communicator.speeds.clear();
  }
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
