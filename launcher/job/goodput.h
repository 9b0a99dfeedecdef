// Goodput: where a job's time went, and what cost the rest. Computed from the job's ledger.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "launcher/job/ledger.h"

namespace slipway::job {

enum class Phase {
  productive,  // steps that were kept
  lost_work,   // steps that had to be repeated
  detection,   // from the last reported step until the failure was noticed
  recovery,    // from then until the next attempt started
  startup,     // from the start of an attempt until its first step
  ending,      // from the last step until the launcher ended
  waiting,     // in Slurm's queue, after a requeue
  unreported,  // attempts of a program that reports no steps
};
inline constexpr size_t phases = 8;
const char* phase_name(Phase phase);  // "lost work"

struct Span {
  Phase phase = Phase::productive;
  int64_t begin_ms = 0, end_ms = 0;
  int64_t attempt = 0;  // 0: none
};

struct LostTime {
  std::string what, blame;  // of failures: "node gone", "node"
  int64_t failures = 0;
  int64_t lost_ms = 0;     // unproductive time, from the last step kept to the first step after it
  int64_t lost_steps = 0;  // that had to be repeated
};

struct Blamed {
  std::string node;
  int64_t attempt = 0;
  std::string what;
  std::vector<std::string> evidence;
};

// An attempt, for the picture of who ran when.
struct Run {
  int64_t attempt = 0;
  int64_t begin_ms = 0, end_ms = 0;
  std::vector<std::string> nodes, spares;
  std::string what, blame, node;  // of its failure; `what` is empty if it did not fail
};

struct Goodput {
  std::string job;
  int64_t begin_ms = 0, end_ms = 0;
  std::vector<Span> spans;  // in order of time, without gaps or empty spans
  std::array<int64_t, phases> phase_ms = {};
  std::vector<LostTime> causes;  // the most expensive first
  std::vector<Blamed> blamed;
  std::vector<Run> runs;
  int64_t attempts = 0, requeues = 0;
  int64_t steps = 0;             // that were kept; 0 if none was reported
  int64_t lost_steps = 0;        // that had to be repeated
  std::optional<double> joules;  // of the GPUs; empty if nobody measured
  bool all_joules = true;        // `joules` covers every attempt and node
  std::string result;            // of the last `end`; empty: the launcher still runs, or was killed
  // The fraction of the time that was productive; empty if the program reports no steps.
  std::optional<double> ratio() const;
};

// `ledger` has at least one entry.
Goodput goodput_of(const Ledger& ledger);

}  // namespace slipway::job
