// What a ledger adds up to: where the time of a job went, and what took it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "launcher/job/ledger.h"

namespace slipway::job {

enum class Phase {
  productive,  // steps that stayed
  lost_work,   // steps that were done again
  detection,   // from the last step that was reported until the failure was noticed
  recovery,    // from then until the next attempt began
  startup,     // from the begin of an attempt until its first step
  ending,      // from the last step until the launcher ended
  waiting,     // in Slurm's queue, after a requeue
  unreported,  // attempts of a program that reports no step at all
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
  int64_t lost_ms = 0;  // all that is not productive, from the failure's last step kept to the
                        // first step after it
  int64_t lost_steps = 0;  // that were done again
};

struct Blamed {
  std::string node;
  int64_t attempt = 0;
  std::string what;
  std::vector<std::string> evidence;
};

struct Account {
  std::string job;
  int64_t begin_ms = 0, end_ms = 0;
  std::vector<Span> spans;  // in order of time, without gaps; none is empty
  std::array<int64_t, phases> phase_ms = {};
  std::vector<LostTime> causes;  // what cost most first
  std::vector<Blamed> blamed;
  int64_t attempts = 0, requeues = 0;
  int64_t steps = 0;             // that stayed; 0 when none was reported
  int64_t lost_steps = 0;        // that were done again
  std::optional<double> joules;  // of the GPUs; none when nobody measured it
  bool all_joules = true;        // those of every attempt and node are in it
  std::string result;            // of the last `end`; empty: the launcher runs still, or was killed
  // The part of the time that was productive; none when the program reports no steps.
  std::optional<double> goodput() const;
};

// Of a ledger with at least one entry.
Account account_of(const Ledger& ledger);

}  // namespace slipway::job
