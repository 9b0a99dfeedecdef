// What a running job's launcher lets the node's metrics know: numbers about its attempts and where
// its time went, in the file that the prolog made for the job (launcher/health/slots.h).
//
// The job's user can write anything there, so that readers accept numbers and nothing else.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "launcher/job/goodput.h"
#include "launcher/job/ledger.h"

namespace slipway::job {

struct JobState {
  int64_t heartbeat_ms = 0;  // when the launcher wrote this, since 1970
  int64_t attempts = 0, requeues = 0;
  int64_t step = 0;               // the last that was reported
  int64_t steps = 0;              // that were kept
  int64_t lost_steps = 0;         // that had to be repeated
  int64_t nodes = 0, spares = 0;  // of the last attempt
  int64_t blamed_nodes = 0;
  int64_t node_failures = 0, application_failures = 0, unknown_failures = 0;
  int64_t millijoules = -1;  // of the GPUs in attempts that have ended; -1: unknown
  bool reports_steps = false;
  std::array<int64_t, phases> phase_ms = {};
};

std::string to_text(const JobState& state);

// Throws Error unless the text is what to_text() makes.
JobState parse_job_state(std::string_view text);

// Follows a job's ledger in memory. Of the steps of long jobs, it keeps every second entry as
// often as needed, so that its size is bounded.
class JobStateFollower {
 public:
  void add(Entry entry);
  JobState state() const;
  size_t size() const { return ledger_.entries.size(); }

 private:
  void thin();

  Ledger ledger_;
};

// Writes the state to the job's file, at most once in a few seconds. Does nothing if there is no
// such file.
class JobStateFile {
 public:
  explicit JobStateFile(const std::string& job);
  bool is_due() const;
  void write(JobState state);

 private:
  std::filesystem::path file_;
  std::chrono::steady_clock::time_point written_ = {};
};

}  // namespace slipway::job
