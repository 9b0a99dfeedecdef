// Decides whether a job hangs.
#include "launcher/job/watch_judge.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "common/count.h"
#include "common/text.h"

namespace slipway::job {
namespace {

// CPU time is compared over this long, the last part of a quiet phase.
constexpr double cpu_window = 60;
// Of one core: a spinning thread uses nearly all of one, a waiting process nearly nothing. Threads
// that only keep watch, such as NCCL's and Python's, use less than a quarter.
constexpr double busy_cores = 0.6, idle_cores = 0.25;
// A kernel that waits in NCCL keeps its GPU at 100 percent.
constexpr int64_t busy_percent = 90, idle_percent = 10;
constexpr size_t most_named = 8;

std::string named_ranks(const std::vector<int64_t>& ranks) {
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  for (size_t i = 0; i < ranks.size() && i < most_named; ++i)
    text += fmt::format("{}{}", i == 0 ? "" : ", ", ranks[i]);
  if (ranks.size() > most_named) text += fmt::format(" and {} more", ranks.size() - most_named);
  return text;
}

const char* are(const std::vector<int64_t>& ranks) {
  return ranks.size() == 1 ? "is" : "are";
}

}  // namespace

WatchJudge::WatchJudge(WatchLimits limits, std::vector<std::string> nodes, double now)
    : limits_(limits),
      nodes_(std::move(nodes)),
      ranks_(nodes_.size()),
      last_life_(now),
      window_began_(now) {}

double WatchJudge::limit() const {
  return std::max(limits_.hang_seconds, 2 * longest_quiet_);
}

bool WatchJudge::are_few(size_t count) const {
  return count > 0 && (count == 1 || count * 4 <= ranks_.size()) && count * 2 < ranks_.size();
}

void WatchJudge::alive(double now) {
  const double quiet = now - last_life_;
  longest_quiet_ = std::max(longest_quiet_, quiet);
  last_life_ = std::max(last_life_, now);
  if (std::exchange(is_reported_, false)) ended_quiet_ = quiet;
}

std::optional<double> WatchJudge::ended_by_itself() {
  const double quiet = std::exchange(ended_quiet_, -1);
  return quiet < 0 ? std::nullopt : std::optional(quiet);
}

void WatchJudge::add(double now, const RankSample& sample) {
  Seen& seen = ranks_.at(static_cast<size_t>(sample.rank));
  const bool is_first = seen.cpu.empty();
  const double between = std::max(now - seen.at, 0.001);
  const auto transferred = static_cast<double>(sample.file_bytes - seen.last.file_bytes);
  if (sample.output_bytes > seen.last.output_bytes ||
      (!is_first && transferred / between >= limits_.alive_bytes_per_second)) {
    alive(now);
  }
  const auto follow = [&](double& since, bool is) { since = !is ? -1 : since < 0 ? now : since; };
  follow(seen.stopped_since, sample.state == 'T' || sample.state == 't');
  follow(seen.stuck_since, sample.state == 'D');
  follow(seen.runs_since, sample.state == 'R');
  if (sample.gpu_percent >= 0) seen.gpu.emplace_back(now, sample.gpu_percent);
  while (!seen.gpu.empty() && seen.gpu.front().first <= now - cpu_window) seen.gpu.pop_front();
  seen.last = sample;
  seen.at = now;
  seen.cpu.emplace_back(now, sample.cpu_seconds);
  while (seen.cpu.size() > 2 && seen.cpu[1].first <= now - cpu_window) seen.cpu.pop_front();
}

std::optional<WatchFinding> WatchJudge::hang(double now) {
  if (is_reported_ || now - last_life_ < limit()) return std::nullopt;
  is_reported_ = true;
  WatchFinding finding;
  finding.what = "hang";
  finding.seconds = now - last_life_;
  finding.since = last_life_;
  Suspects found = suspects(now);
  finding.ranks = std::move(found.ranks);
  finding.evidence = fmt::format("no output, no step and no file transfer of {} for {:.0f} s; {}",
                                 counted(ranks_.size(), "rank"), finding.seconds, found.evidence);
  name_nodes(finding);
  return finding;
}

void WatchJudge::name_nodes(WatchFinding& finding) const {
  for (const int64_t rank : finding.ranks) {
    const std::string& node = nodes_[static_cast<size_t>(rank)];
    if (std::ranges::find(finding.nodes, node) == finding.nodes.end())
      finding.nodes.push_back(node);
  }
  if (finding.nodes.empty()) return;
  std::vector<std::string> first(
      finding.nodes.begin(),
      finding.nodes.begin() + static_cast<ptrdiff_t>(std::min(finding.nodes.size(), most_named)));
  finding.evidence += fmt::format(" (on {})", join(first, ", "));
}

WatchJudge::Suspects WatchJudge::suspects(double now) const {
  const auto all = [&](auto is) {
    std::vector<int64_t> found;
    for (size_t rank = 0; rank < ranks_.size(); ++rank)
      if (is(ranks_[rank])) found.push_back(static_cast<int64_t>(rank));
    return found;
  };
  if (const auto absent = lowest_sequence(); are_few(absent.size())) {
    return {absent, named_ranks(absent) + " did not enter the last collective"};
  }
  // A stopped process is a cause by itself, and proves itself without others to compare.
  const auto stopped = all([](const Seen& seen) { return seen.stopped_since >= 0; });
  if (!stopped.empty() && stopped.size() < ranks_.size()) {
    return {stopped, fmt::format("{} {} stopped", named_ranks(stopped), are(stopped))};
  }
  const auto stuck = all([&](const Seen& seen) {
    return seen.stuck_since >= 0 && now - seen.stuck_since >= std::min(cpu_window, limit() / 2);
  });
  if (are_few(stuck.size())) {
    return {stuck, fmt::format("{} {} stuck in the kernel, in {}", named_ranks(stuck), are(stuck),
                               ranks_[static_cast<size_t>(stuck[0])].last.waits_in)};
  }
  Suspects odd = odd_gpu(now);
  if (odd.ranks.empty()) odd = odd_cpu(now);
  if (odd.ranks.empty()) odd = odd_place();
  if (odd.ranks.empty()) odd.evidence = "no rank differs from the others";
  return odd;
}

// The collectives about whose last number ranks disagree most tell who is late.
std::vector<int64_t> WatchJudge::lowest_sequence() const {
  std::vector<int64_t> behind;
  int64_t widest = 0;
  for (const auto& [name, communicator] : communicators_) {
    for (const auto& [function, last] : communicator.last()) {
      if (last.size() < 3) continue;
      const auto [low, high] =
          std::ranges::minmax_element(last, {}, [](const auto& each) { return each.second; });
      if (high->second - low->second <= widest) continue;
      widest = high->second - low->second;
      behind.clear();
      for (const auto& [rank, sequence] : last)
        if (sequence < high->second) behind.push_back(rank);
    }
  }
  return behind;
}

std::vector<int64_t> WatchJudge::few_apart(const std::vector<int64_t>& busy,
                                           const std::vector<int64_t>& idle) const {
  if (ranks_.size() < 3 || busy.size() + idle.size() != ranks_.size()) return {};
  return are_few(busy.size()) ? busy : are_few(idle.size()) ? idle : std::vector<int64_t>();
}

WatchJudge::Suspects WatchJudge::odd_gpu(double) const {
  std::vector<int64_t> busy, idle;
  for (size_t rank = 0; rank < ranks_.size(); ++rank) {
    // Of this quiet phase: before it, all of them worked.
    std::vector<int64_t> percents;
    for (const auto& [time, percent] : ranks_[rank].gpu)
      if (time > last_life_) percents.push_back(percent);
    if (percents.empty()) continue;
    const auto [least, most] = std::ranges::minmax(percents);
    if (least >= busy_percent) busy.push_back(static_cast<int64_t>(rank));
    if (most <= idle_percent) idle.push_back(static_cast<int64_t>(rank));
  }
  const std::vector<int64_t> apart = few_apart(busy, idle);
  if (apart.empty()) return {};
  const bool works = apart == busy;
  return {apart, fmt::format("the {} of {} {} {}, and those of all others are {}",
                             apart.size() == 1 ? "GPU" : "GPUs", named_ranks(apart), are(apart),
                             works ? "busy" : "idle", works ? "idle" : "busy")};
}

WatchJudge::Suspects WatchJudge::odd_cpu(double now) const {
  std::vector<int64_t> busy, idle;
  for (size_t rank = 0; rank < ranks_.size(); ++rank) {
    const Seen& seen = ranks_[rank];
    if (seen.cpu.size() < 2) continue;
    const double cores = (seen.cpu.back().second - seen.cpu.front().second) /
                         std::max(seen.cpu.back().first - seen.cpu.front().first, 0.001);
    // On a node with too few cores for its processes, a busy one gets less, but always wants more.
    const bool always_runs =
        seen.runs_since >= 0 && now - seen.runs_since >= std::min(cpu_window, limit() / 2);
    if (cores >= busy_cores || always_runs) {
      busy.push_back(static_cast<int64_t>(rank));
    } else if (cores <= idle_cores) {
      idle.push_back(static_cast<int64_t>(rank));
    }
  }
  const std::vector<int64_t> apart = few_apart(busy, idle);
  if (apart.empty()) return {};
  if (apart == busy)
    return {apart, fmt::format("{} {} busy, and all others wait", named_ranks(apart), are(apart))};
  return {apart, fmt::format("{} {} idle in {}, and all others are busy", named_ranks(apart),
                             are(apart), ranks_[static_cast<size_t>(apart[0])].last.waits_in)};
}

WatchJudge::Suspects WatchJudge::odd_place() const {
  if (ranks_.size() < 3) return {};
  std::map<std::string, std::vector<int64_t>> places;
  for (size_t rank = 0; rank < ranks_.size(); ++rank)
    places[ranks_[rank].last.waits_in].push_back(static_cast<int64_t>(rank));
  const auto most =
      std::ranges::max_element(places, {}, [](const auto& each) { return each.second.size(); });
  if (places.size() != 2 || most->first.empty()) return {};
  for (const auto& [place, ranks] : places) {
    if (place == most->first || place.empty() || !are_few(ranks.size())) continue;
    return {ranks, fmt::format("{} {} in {}, and all others in {}", named_ranks(ranks),
                               ranks.size() == 1 ? "waits" : "wait", place, most->first)};
  }
  return {};
}

}  // namespace slipway::job
