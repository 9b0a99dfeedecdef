// Watches a job from outside.
#include "launcher/job/job_watch.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "common/error.h"
#include "common/text.h"
#include "launcher/job/attempt.h"
#include "spank-plugins/nccl_env/inspector.h"

namespace slipway::job {
namespace {

using Clock = std::chrono::steady_clock;

// A scan of /proc takes a millisecond for a hundred processes: 0.1 % of a core on a large node.
constexpr std::chrono::milliseconds watch_interval{4000};
// Of a hang; 0 turns the judge off, and stragglers are still found.
constexpr double never = 1e12;
// After the start of an attempt, without any collective. Programs load data first.
constexpr double blind_seconds = 300;

WatchLimits limits_of(double hang_seconds) {
  WatchLimits limits;
  limits.hang_seconds = hang_seconds > 0 ? hang_seconds : never;
  return limits;
}

}  // namespace

Variables inspector_variables() {
  Variables variables;
  for (const nccl_env::Advice& each : nccl_env::inspector_advice())
    if (std::getenv(each.name.c_str()) == nullptr) variables[each.name] = each.value;
  return variables;
}

std::string inspector_warning(const Variables& variables) {
  Variables seen = variables;
  for (const char* name : {nccl_env::profiler_variable, nccl_env::inspector_switch})
    if (const char* const own = std::getenv(name)) seen[name] = own;
  const std::string kept = nccl_env::kept_from_recording(seen);
  if (kept.empty()) return "";
  const bool is_plugin = !nccl_env::records_collectives(seen[nccl_env::profiler_variable]);
  return fmt::format("--nccl-watch records nothing: {}{}", kept,
                     is_plugin ? "; stragglers are found only if it writes files as NVIDIA's "
                                 "inspector does"
                               : "");
}

JobWatch::JobWatch(const LaunchOptions& options)
    : hang_seconds_(options.hang_seconds),
      has_collectives_(options.nccl_watch || std::getenv(nccl_env::inspector_switch) != nullptr),
      on_hang_(options.on_hang),
      on_straggler_(options.on_straggler),
      step_(options.progress_regex.empty() ? nullptr
                                           : std::make_unique<re2::RE2>(options.progress_regex)),
      log_(options.log_rules) {}

std::chrono::milliseconds JobWatch::interval() const {
  return hang_seconds_ > 0 || has_collectives_ ? watch_interval : std::chrono::milliseconds(0);
}

double JobWatch::now() const {
  return std::chrono::duration<double>(Clock::now() - begin_).count();
}

void JobWatch::begin(const std::vector<std::string>& nodes, int64_t tasks_per_node) {
  nodes_ = nodes;
  tasks_per_node_ = tasks_per_node;
  std::vector<std::string> of_ranks;
  for (const std::string& node : nodes)
    of_ranks.insert(of_ranks.end(), static_cast<size_t>(tasks_per_node), node);
  began_ = now();
  judge_.emplace(limits_of(hang_seconds_), std::move(of_ranks), began_);
  log_.begin(now());
  lines_ = {};
}

void JobWatch::handle(const std::string& node, const Watched& watched) {
  if (!judge_) return;
  const auto check = [&](int64_t rank) {
    const auto at = static_cast<size_t>(rank / tasks_per_node_);
    if (at >= nodes_.size() || nodes_[at] != node)
      throw InvalidMessage(fmt::format("rank {} does not run on that node", rank));
  };
  for (const RankSample& sample : watched.samples) {
    check(sample.rank);
    judge_->add(now(), sample);
  }
  const double shift = clocks_.shift(node, watched.sent_microseconds, microseconds_since_1970());
  for (RankCollective collective : watched.collectives) {
    check(collective.rank);
    if (collective.start_microseconds > 0) collective.start_microseconds += shift;
    judge_->add(now(), collective);
  }
  if (unread_.count == 0) unread_.first = watched.unread.first;
  unread_.count += watched.unread.count;
}

std::optional<int64_t> JobWatch::output(const TaskText& text) {
  std::optional<int64_t> step;
  if (!step_ && log_.is_empty()) return step;
  lines_.add(text.rank, text.stream, text.bytes, [&](std::string_view line) {
    if (!log_.is_empty()) log_.line(now(), text.rank, line);
    std::string number;
    if (step_ && re2::RE2::PartialMatch({line.data(), line.size()}, *step_, &number)) {
      const auto value = to_number<int64_t>(number);
      if (value && *value >= 0) step = std::max(step.value_or(0), *value);
    }
  });
  return step;
}

void JobWatch::progressed(Clock::time_point at) {
  if (std::exchange(progressed_, at) != at && judge_) judge_->alive(now());
}

std::vector<WatchFinding> JobWatch::findings() {
  std::vector<WatchFinding> all;
  if (!judge_) return all;
  if (auto hang = judge_->hang(now())) all.push_back(std::move(*hang));
  if (auto slow = judge_->straggler(now())) all.push_back(std::move(*slow));
  for (LogFault& fault : log_.faults(now())) {
    WatchFinding finding;
    finding.what = "log rule";
    finding.evidence = std::move(fault.text);
    if (fault.rank >= 0) {
      finding.ranks = {fault.rank};
      finding.nodes = {nodes_.at(static_cast<size_t>(fault.rank / tasks_per_node_))};
      finding.evidence += fmt::format(" (on {})", finding.nodes.front());
    }
    all.push_back(std::move(finding));
  }
  return all;
}

std::string JobWatch::news() {
  if (!judge_) return "";
  if (const auto ended = judge_->ended_by_itself())
    return fmt::format(
        "the job has resumed by itself after {:.0f} s; from now on, it may be quiet for {:.0f} s",
        *ended, 2 * *ended);
  if (unread_.count > 0 && !std::exchange(told_unread_, true))
    return fmt::format(
        "{} of NCCL's plugin {} left out so far, as Slipway does not understand them: the first is "
        "{}",
        counted(unread_.count, "line"), unread_.count == 1 ? "is" : "are", unread_.first);
  if (judge_->cannot_compare())
    return "stragglers are not judged so far: of the collectives that NCCL's plugin records, the "
           "ranks have too few in common";
  if (!has_collectives_ || !judge_->is_blind() || now() - began_ < blind_seconds ||
      std::exchange(told_blind_, true))
    return "";
  return fmt::format(
      "stragglers are not judged so far: NCCL's plugin has recorded no collective in {:.0f} s. "
      "NCCL_DEBUG=INFO shows whether NCCL has found it",
      blind_seconds);
}

const std::string& JobWatch::action(const WatchFinding& finding) const {
  return finding.what == "hang" || finding.what == "log rule" ? on_hang_ : on_straggler_;
}

bool JobWatch::ends_attempt(const WatchFinding& finding) const {
  return action(finding) != "tell";
}

bool JobWatch::blames(const WatchFinding& finding) const {
  return action(finding) == "blame";
}

}  // namespace slipway::job
