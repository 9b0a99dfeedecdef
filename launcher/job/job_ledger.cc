// Writes a job's ledger while the job runs.
#include "launcher/job/job_ledger.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>

#include "common/error.h"
#include "common/file.h"

namespace slipway::job {
namespace {

constexpr auto between_progress = std::chrono::seconds(1);

}  // namespace

int64_t now_ms() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

JobLedger::JobLedger(const std::filesystem::path& path, std::string job, AsyncWriter& async,
                     bool follows)
    : job_(std::move(job)), async_(async) {
  try {
    writer_.emplace(path, follows);
  } catch (const NoRoom& error) {
    say_once(error.what());
    return;
  }
  const std::string text = read_file(path);
  if (text.empty()) return;
  const std::vector<Entry> entries = parse_ledger(text, path).entries;
  if (entries.front().job != job_) {
    throw Error(fmt::format("{} is the ledger of job {}, not of job {}", path.native(),
                            entries.front().job, job_));
  }
  for (const Entry& entry : entries) {
    attempts_ = std::max(attempts_, entry.attempt);
    if (entry.event == Event::progress) best_ = std::max(best_, entry.step);
    if (entry.event == Event::failure && entry.blame == "node") blamed_.insert(entry.node);
    if (entry.event == Event::start) last_nodes_ = entry.nodes.size();
    if (entry.event == Event::grow)
      for (const std::string& node : entry.nodes) blamed_.erase(node);
    follower_.add(entry);
  }
}

Entry JobLedger::entry_of(Event event, int64_t attempt) const {
  Entry entry;
  entry.event = event;
  entry.time_ms = now_ms();
  entry.job = job_;
  entry.attempt = attempt;
  return entry;
}

void JobLedger::say_once(const std::string& what) {
  if (!has_failed_) fmt::print(stderr, "slipway launch: {}; the job continues\n", what);
  has_failed_ = true;
}

void JobLedger::put(Entry entry) {
  const bool again = entry.event == Event::end && entry.result == result_;
  const bool may_follow = entry.event == Event::end || entry.event == Event::energy;
  if (!result_.empty() && (again || !may_follow)) return;
  if (entry.event == Event::end) result_ = entry.result;
  follower_.add(entry);
  async_.put([this, entry = std::move(entry)] {
    try {
      if (writer_) writer_->append(entry);
    } catch (const Error& error) {
      say_once(error.what());
    }
  });
}

void JobLedger::begin(const std::vector<std::string>& command) {
  Entry entry = entry_of(Event::job, 0);
  entry.command = command;
  put(std::move(entry));
}

void JobLedger::start(int64_t attempt, const NodeChoice& choice) {
  attempts_ = attempt;
  last_nodes_ = choice.nodes.size();
  best_before_ = best_;
  written_ = -1;
  Entry entry = entry_of(Event::start, attempt);
  entry.nodes = choice.nodes;
  entry.spares = choice.spares;
  put(std::move(entry));
}

void JobLedger::progress(int64_t attempt, const StepAt& first, const StepAt& now) {
  best_ = std::max(best_, now.step);
  if (written_ < 0) last_progress(attempt, first);
  if (std::chrono::steady_clock::now() - written_at_ < between_progress) return;
  last_progress(attempt, now);
}

void JobLedger::last_progress(int64_t attempt, const StepAt& last) {
  if (last.step < 0 || last.step == written_) return;
  written_ = last.step;
  written_at_ = std::chrono::steady_clock::now();
  Entry entry = entry_of(Event::progress, attempt);
  entry.time_ms = last.time_ms;
  entry.step = last.step;
  put(std::move(entry));
}

void JobLedger::failure(int64_t attempt, const Verdict& verdict, int64_t time_ms) {
  Entry entry = entry_of(Event::failure, attempt);
  entry.time_ms = time_ms;
  entry.what = verdict.what;
  entry.blame = blame_name(verdict.blame);
  entry.evidence = verdict.evidence;
  // The entry has room for one node; `evidence` names the others.
  if (!verdict.nodes.empty()) entry.node = verdict.nodes.front();
  put(std::move(entry));
}

void JobLedger::finding(int64_t attempt, const WatchFinding& finding) {
  Entry entry = entry_of(Event::finding, attempt);
  entry.what = finding.what;
  if (finding.nodes.size() == 1) entry.node = finding.nodes.front();
  entry.evidence = {finding.evidence};
  put(std::move(entry));
}

void JobLedger::restore(int64_t attempt, int64_t step, const char* from, const std::string& why) {
  Entry entry = entry_of(Event::restore, attempt);
  entry.what = step < 0 ? "disk" : from;
  entry.step = std::max<int64_t>(step, 0);
  entry.evidence = {why};
  put(std::move(entry));
}

void JobLedger::grow(int64_t attempt, const std::vector<std::string>& nodes, int64_t step) {
  Entry entry = entry_of(Event::grow, attempt);
  entry.nodes = nodes;
  entry.step = std::max<int64_t>(step, 0);
  put(std::move(entry));
}

void JobLedger::energy(const AttemptEnergy& energy) {
  Entry entry = entry_of(Event::energy, energy.attempt);
  entry.joules = energy.joules;
  entry.missing = energy.missing;
  put(std::move(entry));
}

void JobLedger::end(const std::string& result, int status) {
  Entry entry = entry_of(Event::end, 0);
  entry.result = result;
  entry.status = status;
  put(std::move(entry));
}

}  // namespace slipway::job
