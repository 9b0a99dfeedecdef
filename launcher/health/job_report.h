// A report from a job's launcher about a node that it blamed, on its way from the job's user to
// root: the user's agent leaves a file, and root's checks read it. None of its text is passed on:
// root has fixed texts for each cause. docs/decisions/0032-reports-of-blamed-nodes.md.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/health/context.h"

namespace slipway::health {

// A separate file system, created when the node boots: report_slots.h.
inline constexpr const char* reports_folder = "/run/slipway/reports";

enum class Cause {
  failures,     // failures began on it repeatedly, with different ranks
  xid,          // its kernel logged an Xid; `detail` is the number
  unfit,        // its health check found something; `detail` is the check
  held,         // a process on it could not be killed
  task_report,  // a task on it reported that part of the node is broken
};

struct JobReport {
  std::string job;  // digits
  int64_t attempt = 0;
  Cause cause = Cause::failures;
  std::string detail = {};
  uid_t user = 0;  // the owner of the file, who may have written anything
};

std::string_view name_of(Cause cause);
std::string to_text(const JobReport& report);

// `user` is the text's owner. Throws Error if the text is not a report.
JobReport parse_report(std::string_view text, uid_t user);

// The check `reports`: each report becomes a finding.
void check_reports(const std::vector<JobReport>& reports, CheckRun& run);

}  // namespace slipway::health
