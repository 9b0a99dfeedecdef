// What a node remembers between two checks, in a folder of root's: /var/lib/slipway/health.
//
//   history.json     counters, findings that last, and what was found in the last week
//   last.json        the last verdict, for everybody (schema slipway/health/1)
//   jobs/ID.json     the counters at a job's start
#pragma once

#include <cstdint>
#include <ctime>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "launcher/health/finding.h"

namespace slipway::health {

inline constexpr const char* state_folder = "/var/lib/slipway/health";

struct History {
  struct Event {
    std::time_t time = 0;
    std::string key;  // kind, device and Xid: what is counted together
  };

  std::string boot;                         // which start of the machine the rest is about
  std::map<std::string, int64_t> counters;  // of the last check
  std::vector<Finding> open;                // events that ask for a drain until the next start
  std::set<std::string> present;            // keys of the last check's findings
  std::vector<Event> events;                // of the last week, the latest at the end
  std::map<std::string, std::string>
      gpus;             // seen since the machine started, "0000:07:00.0": NVML's number, or ""
  int good_looks = 0;   // in a row
  std::string comment;  // of the node in Slurm, as we have set it
  // When a prolog and an epilog of ours failed last; 0: never.
  std::time_t prolog_failed = 0, epilog_failed = 0;

  // Forgets what a start of the machine makes good, when it has started again; then it is true.
  bool begin_boot(const std::string& now);

  // Counts a finding that is new, and forgets what is older than a week.
  void remember(const Finding& finding, std::time_t now);

  // How often a finding was new within some hours.
  int times(const Finding& finding, double hours, std::time_t now) const;

 private:
  void forget_old_reports();
  void forget_one();
};

std::string key_of(const Finding& finding);

// An empty history when the file is missing or unreadable: a disk that was full must not keep a
// node from being checked.
History load_history(const std::filesystem::path& folder);

// Throws Error when it cannot be written; then the old one is there.
void save_history(const std::filesystem::path& folder, const History& history);

using Counters = std::map<std::string, int64_t>;

// The counters at a job's start; empty where they were not kept.
void keep_job(const std::filesystem::path& folder, const std::string& job,
              const Counters& counters);
Counters job_start(const std::filesystem::path& folder, const std::string& job);
void forget_job(const std::filesystem::path& folder, const std::string& job);
void forget_all_jobs(const std::filesystem::path& folder);

}  // namespace slipway::health
