// Simulates training jobs that fail.
#include "launcher/job/rehearsal.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <queue>
#include <set>
#include <utility>

namespace slipway::job {
namespace {

constexpr double hour = 3600, day = 24 * hour;
constexpr double never = std::numeric_limits<double>::infinity();

// SplitMix64 (Steele, Lea and Flood, 2014): the same numbers with every library.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t next() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15U;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }  // from 0 to below 1
  double exponential(double mean) { return -std::log1p(-uniform()) * mean; }

 private:
  uint64_t state_;
};

struct Failure {
  double at = never;
  size_t cause = 0;
  bool operator>(const Failure& other) const { return at > other.at; }
};

// The totals of one run, in seconds and counts.
struct Tally {
  Times times;
  double interruptions = 0;
  std::vector<CauseOutcome> causes;
};

// One run. Times are seconds since it began.
class RehearsedRun {
 public:
  RehearsedRun(const Scenario& scenario, const Setting& setting, uint64_t number)
      : scenario_(scenario),
        setting_(setting),
        arrivals_(Random(scenario.seed ^ Random(number).next()).next()),
        chances_(arrivals_.next()),
        end_(scenario.days * day) {
    if (setting.memory_seconds > 0) {
      part_ = {setting.memory_seconds, scenario.memory_seconds};
      parts_ = std::max(1.0, std::round(setting.interval_seconds / setting.memory_seconds));
    }
    tally_.causes.resize(scenario.causes.size());
    for (const Cause& cause : scenario.causes) all_counts_ += static_cast<double>(cause.count);
    arrive();
  }

  Tally run() {
    while (now_ < end_) {
      const Failure failure = next_failure();
      const double until = std::min(failure.at, end_);
      recover_until(until);
      if (until > ready_) work(until - std::max(now_, ready_), failure.at < end_);
      now_ = until;
      if (failure.at < end_) strike(failure);
    }
    return std::move(tally_);
  }

 private:
  // Draws the next event of the Poisson process, which depends only on the seed and the run.
  void arrive() {
    arrival_.at += arrivals_.exponential(scenario_.hours_between_failures * hour);
    double part = arrivals_.uniform() * all_counts_;
    arrival_.cause = 0;
    while (arrival_.cause + 1 < scenario_.causes.size() &&
           part >= static_cast<double>(scenario_.causes[arrival_.cause].count)) {
      part -= static_cast<double>(scenario_.causes[arrival_.cause++].count);
    }
  }

  bool waits_at(double time) const { return time >= known_ && time < placed_; }

  Failure next_failure() {
    while (waits_at(arrival_.at)) arrive();
    if (!relapses_.empty() && relapses_.top().at < arrival_.at) {
      const Failure relapse = relapses_.top();
      relapses_.pop();
      return relapse;
    }
    const Failure failure = arrival_;
    arrive();
    return failure;
  }

  // Spends the time from now_ on recovery from the last failure.
  void recover_until(double until) {
    const auto within = [&](double from, double to) {
      return std::max(0.0, std::min(to, until) - std::max(from, now_));
    };
    const double detection = within(0, known_), waiting = within(known_, placed_);
    const double restart = within(placed_, ready_);
    tally_.times.detection += detection;
    tally_.times.waiting += waiting;
    tally_.times.restart += restart;
    if (tally_.interruptions > 0) tally_.causes[last_cause_].lost += detection + waiting + restart;
  }

  // A cycle is a number of parts, each of which ends with a checkpoint in memory, and a checkpoint
  // on disk. Without memory, it has one part, and nothing survives a failure but the disk.
  void work(double duration, bool ends_in_failure) {
    const double part = part_.work + part_.pause;
    double rest = duration;
    const double to_disk = (parts_ - done_) * part + scenario_.checkpoint_seconds;
    if (rest >= to_disk) {
      spend(parts_ - done_, 1);
      rest -= to_disk;
      const double cycle = parts_ * part + scenario_.checkpoint_seconds;
      const double cycles = std::floor(rest / cycle);
      spend(cycles * parts_, cycles);
      rest -= cycles * cycle;
      done_ = 0;
    }
    const double more = std::min(parts_ - done_, std::floor(rest / part));
    spend(more, 0);
    done_ += more;
    rest -= more * part;
    unsaved_ = ends_in_failure ? rest : 0;
    if (ends_in_failure) return;
    const double productive = done_ < parts_ ? std::min(rest, part_.work) : 0;
    tally_.times.productive += productive;
    tally_.times.checkpoints += rest - productive;
  }

  void spend(double parts, double disk_checkpoints) {
    tally_.times.productive += parts * part_.work;
    tally_.times.checkpoints +=
        parts * part_.pause + disk_checkpoints * scenario_.checkpoint_seconds;
  }

  bool memory_survives() {
    return setting_.memory_seconds > 0 &&
           (scenario_.memory_loss <= 0 || chances_.uniform() >= scenario_.memory_loss);
  }

  // The work since the last checkpoint on disk, if those in memory are gone.
  void lose_memory() {
    const double work = done_ * part_.work;
    tally_.times.productive -= work;
    unsaved_ += work;
    done_ = 0;
  }

  void strike(const Failure& failure) {
    last_cause_ = failure.cause;
    tally_.interruptions += 1;
    tally_.causes[last_cause_].interruptions += 1;
    if (!memory_survives()) lose_memory();
    tally_.causes[last_cause_].lost += unsaved_;
    tally_.times.lost_work += std::exchange(unsaved_, 0);
    known_ = now_ + scenario_.detection_seconds;
    placed_ = known_;
    const bool node = scenario_.causes[failure.cause].fault == Fault::node;
    const bool found = node && chances_.uniform() < scenario_.blame;
    if (found) broken_.insert(now_ + scenario_.repair_hours * hour);
    broken_.erase(broken_.begin(), broken_.upper_bound(now_));
    const int64_t short_of = static_cast<int64_t>(broken_.size()) - setting_.spares;
    if (short_of > 0) placed_ = std::max(known_, *std::next(broken_.begin(), short_of - 1));
    ready_ = placed_ + scenario_.restart_seconds;
    if (node && !found) {
      relapses_.push(
          {ready_ + chances_.exponential(scenario_.relapse_minutes * 60), failure.cause});
    }
  }

  const Scenario& scenario_;
  const Setting& setting_;
  Random arrivals_, chances_;
  double all_counts_ = 0;
  double end_;
  double now_ = 0;
  // When the last failure was noticed, had nodes to restart on, and was over.
  double known_ = 0, placed_ = 0, ready_ = 0;
  double unsaved_ = 0;
  struct Part {
    double work = 0, pause = 0;
  };
  Part part_ = {setting_.interval_seconds, 0};
  double parts_ = 1, done_ = 0;  // of a cycle
  size_t last_cause_ = 0;
  Failure arrival_{0, 0};
  std::priority_queue<Failure, std::vector<Failure>, std::greater<>> relapses_;
  std::multiset<double> broken_;  // repair times
  Tally tally_;
};

double quantile(const std::vector<double>& sorted, double part) {
  const double place = part * static_cast<double>(sorted.size() - 1);
  const size_t below = static_cast<size_t>(place);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

void add(Times& sum, const Times& times, double weight) {
  sum.productive += weight * times.productive;
  sum.checkpoints += weight * times.checkpoints;
  sum.lost_work += weight * times.lost_work;
  sum.detection += weight * times.detection;
  sum.waiting += weight * times.waiting;
  sum.restart += weight * times.restart;
}

void describe(std::vector<double> goodputs, Outcome& outcome) {
  std::sort(goodputs.begin(), goodputs.end());
  const double runs = static_cast<double>(goodputs.size());
  double sum = 0, squares = 0;
  for (double goodput : goodputs) sum += goodput;
  outcome.mean = sum / runs;
  for (double goodput : goodputs) squares += (goodput - outcome.mean) * (goodput - outcome.mean);
  outcome.standard_error = runs > 1 ? std::sqrt(squares / (runs - 1) / runs) : 0;
  outcome.low = quantile(goodputs, 0.05);
  outcome.median = quantile(goodputs, 0.5);
  outcome.high = quantile(goodputs, 0.95);
}

}  // namespace

double nodes_in_repair(const Scenario& scenario) {
  double all = 0, of_nodes = 0;
  for (const Cause& cause : scenario.causes) {
    all += static_cast<double>(cause.count);
    if (cause.fault == Fault::node) of_nodes += static_cast<double>(cause.count);
  }
  return of_nodes / all * scenario.repair_hours / scenario.hours_between_failures;
}

Outcome rehearse(const Scenario& scenario, const Setting& setting) {
  Outcome outcome;
  outcome.setting = setting;
  outcome.causes.resize(scenario.causes.size());
  const double one_run = 1 / static_cast<double>(scenario.runs);
  const double part_of_time = one_run / (scenario.days * day);
  std::vector<double> goodputs;
  for (int64_t number = 0; number < scenario.runs; ++number) {
    const Tally tally = RehearsedRun(scenario, setting, static_cast<uint64_t>(number)).run();
    goodputs.push_back(tally.times.productive / (scenario.days * day));
    add(outcome.times, tally.times, part_of_time);
    outcome.interruptions += tally.interruptions * one_run;
    for (size_t i = 0; i < tally.causes.size(); ++i) {
      outcome.causes[i].interruptions += tally.causes[i].interruptions * one_run;
      outcome.causes[i].lost += tally.causes[i].lost * part_of_time;
    }
  }
  describe(std::move(goodputs), outcome);
  return outcome;
}

}  // namespace slipway::job
