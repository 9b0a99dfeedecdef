// Writes and reads the numbers that a job's launcher leaves for the node's metrics.
#include "launcher/job/job_state.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "common/error.h"
#include "common/text.h"
#include "launcher/health/slots.h"
#include "launcher/job/job_ledger.h"

namespace slipway::job {
namespace {

constexpr std::string_view state_version = "slipway-job-1";
constexpr int64_t largest_state_number = 1'000'000'000'000'000;
constexpr size_t most_entries = 4096;
constexpr auto between_writes = std::chrono::seconds(5);

// The one list of fields, for writing and reading.
template <class State, class Visit>
void for_each_number(State& state, Visit visit) {
  visit(state.heartbeat_ms);
  visit(state.attempts);
  visit(state.requeues);
  visit(state.step);
  visit(state.steps);
  visit(state.lost_steps);
  visit(state.nodes);
  visit(state.spares);
  visit(state.blamed_nodes);
  visit(state.node_failures);
  visit(state.application_failures);
  visit(state.unknown_failures);
  visit(state.millijoules);
  for (auto& length : state.phase_ms) visit(length);
}

}  // namespace

std::string to_text(const JobState& state) {
  std::string text(state_version);
  text += state.reports_steps ? " 1" : " 0";
  for_each_number(state, [&](int64_t number) {
    text += fmt::format(" {}", std::clamp<int64_t>(number, -1, largest_state_number));
  });
  return text;
}

JobState parse_job_state(std::string_view text) {
  const std::vector<std::string> words = split(text, ' ');
  if (words.size() < 2 || words[0] != state_version || (words[1] != "0" && words[1] != "1")) {
    throw Error("not the state of a job");
  }
  JobState state;
  state.reports_steps = words[1] == "1";
  size_t next = 2;
  for_each_number(state, [&](int64_t& number) {
    const auto read = next < words.size() ? to_number<int64_t>(words[next]) : std::nullopt;
    const int64_t least = &number == &state.millijoules ? -1 : 0;
    if (!read || *read < least || *read > largest_state_number)
      throw Error("not the state of a job");
    number = *read;
    ++next;
  });
  if (next != words.size()) throw Error("not the state of a job");
  return state;
}

void JobStateFollower::add(Entry entry) {
  entry.command.clear();
  entry.evidence.clear();
  ledger_.entries.push_back(std::move(entry));
  if (ledger_.entries.size() >= most_entries) thin();
}

void JobStateFollower::thin() {
  std::vector<Entry>& all = ledger_.entries;
  const auto is_progress = [&](size_t i) { return all[i].event == Event::progress; };
  std::vector<Entry> kept;
  bool left_out = false;  // the one before
  for (size_t i = 0; i < all.size(); ++i) {
    const bool between =
        i > 0 && i + 1 < all.size() && is_progress(i - 1) && is_progress(i) && is_progress(i + 1);
    left_out = between && !left_out;
    if (!left_out) kept.push_back(std::move(all[i]));
  }
  all = std::move(kept);
}

JobState JobStateFollower::state() const {
  JobState state;
  if (ledger_.entries.empty()) return state;
  const Goodput goodput = goodput_of(ledger_);
  state.attempts = goodput.attempts;
  state.requeues = goodput.requeues;
  state.steps = goodput.steps;
  state.lost_steps = goodput.lost_steps;
  state.phase_ms = goodput.phase_ms;
  if (goodput.joules) state.millijoules = static_cast<int64_t>(*goodput.joules * 1000);
  std::set<std::string> blamed;
  for (const Blamed& each : goodput.blamed) blamed.insert(each.node);
  state.blamed_nodes = static_cast<int64_t>(blamed.size());
  if (!goodput.runs.empty()) {
    state.nodes = static_cast<int64_t>(goodput.runs.back().nodes.size());
    state.spares = static_cast<int64_t>(goodput.runs.back().spares.size());
  }
  for (const Entry& entry : ledger_.entries) {
    if (entry.event == Event::progress) {
      state.step = entry.step;
      state.reports_steps = true;
    } else if (entry.event == Event::failure) {
      (entry.blame == "node"          ? state.node_failures
       : entry.blame == "application" ? state.application_failures
                                      : state.unknown_failures) += 1;
    }
  }
  return state;
}

JobStateFile::JobStateFile(const std::string& job)
    : file_(std::filesystem::path(health::job_states_folder) / job) {}

bool JobStateFile::is_due() const {
  return std::chrono::steady_clock::now() - written_ >= between_writes;
}

void JobStateFile::write(JobState state) {
  written_ = std::chrono::steady_clock::now();
  state.heartbeat_ms = now_ms();
  health::write_slot(file_, to_text(state));
}

}  // namespace slipway::job
