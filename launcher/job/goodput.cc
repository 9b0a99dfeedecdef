// Computes a job's goodput from the events in its ledger.
#include "launcher/job/goodput.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace slipway::job {
namespace {

struct Point {
  int64_t time_ms, step;
};

struct Stretch {
  int64_t number = 0;
  int64_t begin_ms = 0, end_ms = 0;
  std::vector<Point> points;
  const Entry* start = nullptr;
  const Entry* failure = nullptr;  // null: it did not fail
  bool grew = false;               // it was ended for another one on more nodes
};

// Goes through the entries once and lays spans end to end without gaps.
class GoodputReader {
 public:
  explicit GoodputReader(const Ledger& ledger) : entries_(ledger.entries) {
    goodput_.job = entries_.front().job;
    goodput_.begin_ms = at_ = entries_.front().time_ms;
    // Energy may be reported after the end.
    const auto takes_time = [](const Entry& entry) { return entry.event != Event::energy; };
    goodput_.end_ms = std::find_if(entries_.rbegin(), entries_.rend(), takes_time)->time_ms;
    find_attempts();
    find_kept();
  }

  Goodput run() {
    size_t next = 0;
    for (const Entry& entry : entries_) {
      switch (entry.event) {
        case Event::job:
          goodput_.requeues += &entry != &entries_.front() ? 1 : 0;
          lay(Phase::waiting, entry.time_ms, 0);
          goodput_.result.clear();
          break;
        case Event::start:
          lay(next == 0 ? Phase::startup : Phase::recovery, entry.time_ms, 0);
          lay_attempt(attempts_[next], kept_[next]);
          ++next;
          break;
        case Event::failure:
          add_failure(entry);
          break;
        case Event::energy:
          goodput_.joules = goodput_.joules.value_or(0) + entry.joules;
          if (entry.missing.empty()) measured_.insert(entry.attempt);
          break;
        case Event::end:
          lay(last_failure_ != nullptr ? Phase::recovery : Phase::ending, entry.time_ms, 0);
          goodput_.result = entry.result;
          break;
        case Event::finding:
        case Event::restore:
        case Event::grow:
          break;
        case Event::progress:
          break;  // laid with its attempt
      }
    }
    lay(Phase::unreported, goodput_.end_ms, 0);  // a launcher that has just started
    goodput_.attempts = static_cast<int64_t>(attempts_.size());
    for (const Stretch& attempt : attempts_) goodput_.runs.push_back(run_of(attempt));
    goodput_.all_joules = measured_.size() == attempts_.size();
    std::stable_sort(goodput_.causes.begin(), goodput_.causes.end(),
                     [](const LostTime& a, const LostTime& b) { return a.lost_ms > b.lost_ms; });
    return std::move(goodput_);
  }

 private:
  static Run run_of(const Stretch& attempt) {
    Run run{attempt.number,
            attempt.begin_ms,
            attempt.end_ms,
            attempt.start->nodes,
            attempt.start->spares,
            "",
            "",
            ""};
    if (attempt.failure == nullptr) return run;
    run.what = attempt.failure->what;
    run.blame = attempt.failure->blame;
    run.node = attempt.failure->node;
    return run;
  }

  void find_attempts() {
    int64_t before_ms = goodput_.begin_ms;  // of the entry before
    for (const Entry& entry : entries_) {
      Stretch* open = open_attempt();
      if (open != nullptr && entry.event == Event::progress) {
        open->points.push_back({entry.time_ms, entry.step});
        reported_ = true;
      } else if (open != nullptr && entry.event != Event::energy && entry.event != Event::finding &&
                 entry.event != Event::restore) {
        // If the attempt's end was not recorded, its launcher was killed; nobody knows when.
        open->grew = entry.event == Event::grow;
        const bool recorded =
            open->grew || entry.event == Event::failure || entry.event == Event::end;
        open->end_ms = recorded ? entry.time_ms : before_ms;
        if (entry.event == Event::failure) open->failure = &entry;
      }
      if (entry.event == Event::start) {
        attempts_.push_back({entry.attempt, entry.time_ms, 0, {}, &entry, nullptr, false});
      }
      before_ms = entry.time_ms;
    }
    if (open_attempt() != nullptr) open_attempt()->end_ms = goodput_.end_ms;
  }

  Stretch* open_attempt() {
    return attempts_.empty() || attempts_.back().end_ms != 0 ? nullptr : &attempts_.back();
  }

  // Up to which step each attempt's work was kept: no later attempt resumed before that step.
  void find_kept() {
    kept_.resize(attempts_.size());
    int64_t kept = std::numeric_limits<int64_t>::max();
    for (size_t i = attempts_.size(); i-- > 0;) {
      kept_[i] = kept;
      if (!attempts_[i].points.empty()) kept = std::min(kept, attempts_[i].points.front().step);
    }
  }

  // Adds a span from the end of the last one to `end_ms`.
  void lay(Phase phase, int64_t end_ms, int64_t attempt) {
    if (end_ms <= at_) return;
    const int64_t length = end_ms - at_;
    goodput_.phase_ms[static_cast<size_t>(phase)] += length;
    const bool blameless = phase == Phase::productive || phase == Phase::unreported;
    if (!blameless && charged_ != npos) goodput_.causes[charged_].lost_ms += length;
    std::vector<Span>& spans = goodput_.spans;
    if (!spans.empty() && spans.back().phase == phase && spans.back().attempt == attempt) {
      spans.back().end_ms = end_ms;
    } else {
      spans.push_back({phase, at_, end_ms, attempt});
    }
    at_ = end_ms;
  }

  void lay_attempt(const Stretch& attempt, int64_t kept) {
    last_failure_ = nullptr;
    if (attempt.points.empty()) {
      const Phase phase = reported_ ? Phase::startup : Phase::unreported;
      if (attempt.failure != nullptr && reported_) charge(*attempt.failure);
      lay(phase, attempt.end_ms, attempt.number);
      return;
    }
    lay(Phase::startup, attempt.points.front().time_ms, attempt.number);
    charged_ = npos;
    if (attempt.failure != nullptr) charge(*attempt.failure);
    for (size_t i = 1; i < attempt.points.size(); ++i) {
      const Point& from = attempt.points[i - 1];
      const Point& to = attempt.points[i];
      const int64_t stay = std::clamp(kept, from.step, std::max(from.step, to.step)) - from.step;
      if (to.step > from.step) {
        goodput_.steps += stay;
        goodput_.lost_steps += to.step - from.step - stay;
        if (charged_ != npos) goodput_.causes[charged_].lost_steps += to.step - from.step - stay;
        const double part = static_cast<double>(stay) / static_cast<double>(to.step - from.step);
        const auto length = std::llround(static_cast<double>(to.time_ms - from.time_ms) * part);
        lay(Phase::productive, from.time_ms + length, attempt.number);
      }
      lay(Phase::lost_work, to.time_ms, attempt.number);
    }
    lay(attempt.failure != nullptr ? Phase::detection
        : attempt.grew             ? Phase::recovery
                                   : Phase::ending,
        attempt.end_ms, attempt.number);
  }

  // From now until the next step, charges unproductive time to this failure.
  void charge(const Entry& failure) {
    std::vector<LostTime>& causes = goodput_.causes;
    const auto found = std::find_if(causes.begin(), causes.end(), [&](const LostTime& cause) {
      return cause.what == failure.what && cause.blame == failure.blame;
    });
    charged_ = static_cast<size_t>(found - causes.begin());
    if (found == causes.end()) causes.push_back({failure.what, failure.blame});
  }

  void add_failure(const Entry& entry) {
    charge(entry);
    last_failure_ = &entry;
    goodput_.causes[charged_].failures += 1;
    if (entry.blame == "node") {
      goodput_.blamed.push_back({entry.node, entry.attempt, entry.what, entry.evidence});
    }
  }

  static constexpr size_t npos = std::numeric_limits<size_t>::max();

  const std::vector<Entry>& entries_;
  std::vector<Stretch> attempts_;
  std::vector<int64_t> kept_;            // of each attempt
  bool reported_ = false;                // some step was
  int64_t at_ = 0;                       // the end of the last span
  size_t charged_ = npos;                // the cause of what follows
  const Entry* last_failure_ = nullptr;  // since the last start
  std::set<int64_t> measured_;           // attempts whose energy is known
  Goodput goodput_;
};

}  // namespace

const char* phase_name(Phase phase) {
  static constexpr std::array<const char*, phases> names = {"productive", "lost work", "detection",
                                                            "recovery",   "startup",   "ending",
                                                            "waiting",    "unreported"};
  return names[static_cast<size_t>(phase)];
}

std::optional<double> Goodput::ratio() const {
  if (phase_ms[static_cast<size_t>(Phase::unreported)] > 0 || end_ms <= begin_ms) return {};
  return static_cast<double>(phase_ms[0]) / static_cast<double>(end_ms - begin_ms);
}

Goodput goodput_of(const Ledger& ledger) {
  return GoodputReader(ledger).run();
}

}  // namespace slipway::job
