// What a node remembers between checks, in a folder that belongs to root: /var/lib/slipway/health.
//
//   history.json     counters, lasting findings, and the last week's events
//   last.json        the last verdict, readable for everyone (schema slipway/health/1)
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
#include "launcher/health/policy.h"

namespace slipway::health {

inline constexpr const char* state_folder = "/var/lib/slipway/health";

struct History {
  struct Event {
    std::time_t time = 0;
    std::string key;  // kind, device and Xid; equal keys are counted together
  };

  std::string boot;                         // the boot that the rest belongs to
  std::map<std::string, int64_t> counters;  // of the last check
  std::vector<Finding> open;                // events that call for a drain until the next boot
  std::set<std::string> present;            // keys of the last check's findings
  std::vector<Event> events;                // of the last week, oldest first
  std::map<std::string, std::string> gpus;  // seen since boot, "0000:07:00.0": NVML's index, or ""
  int clean_checks = 0;                     // in a row
  std::string comment;                      // the node comment that we set in Slurm
  bool deep_checks_due = false;             // no job may start before they have passed
  // When our last failed prolog and epilog were; 0: never.
  std::time_t prolog_failed = 0, epilog_failed = 0;

  // If the machine has rebooted, forgets what a reboot fixes, and returns true.
  bool begin_boot(const std::string& now);

  // Begins a boot like begin_boot(), and notes whether `deep` wants checks before work. Without a
  // policy that wants any, none are due. Returns what begin_boot() returns.
  bool begin_boot(const std::string& now, const DeepChecks& deep);

  // Records a finding if it is new, and forgets events older than a week.
  void remember(const Finding& finding, std::time_t now);

  // How often a finding was new within the last `hours`.
  int times(const Finding& finding, double hours, std::time_t now) const;

 private:
  void forget_old_reports();
  void forget_one();
};

std::string key_of(const Finding& finding);

// Returns an empty history if the file is missing or unreadable: a full disk must not keep a node
// from being checked.
History load_history(const std::filesystem::path& folder);

// Throws Error if the file cannot be written; the old one is then intact.
void save_history(const std::filesystem::path& folder, const History& history);

using Counters = std::map<std::string, int64_t>;

// Keeps the counters at a job's start. job_start() returns them; empty if they were not kept.
void keep_job(const std::filesystem::path& folder, const std::string& job,
              const Counters& counters);
Counters job_start(const std::filesystem::path& folder, const std::string& job);
void forget_job(const std::filesystem::path& folder, const std::string& job);
void forget_all_jobs(const std::filesystem::path& folder);

}  // namespace slipway::health
