// The files in which users leave reports about a node for root: one for each user who has had a job
// on the node (slots.h). docs/decisions/0032-reports-of-blamed-nodes.md.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "launcher/health/job_report.h"
#include "launcher/health/slots.h"

namespace slipway::health {

// For root, before a job: gives the job's user a slot. False if the folder is missing or has no
// room.
bool give_slot(const std::filesystem::path& folder, uid_t user);

// What root found in the folder.
struct FoundReports {
  std::vector<JobReport> reports;     // a few, at most one per user
  std::vector<std::string> to_empty;  // names of slots, including those with invalid content
};
FoundReports find_reports(const std::filesystem::path& folder);
void empty_slots(const std::filesystem::path& folder, const FoundReports& found);

// For the user: writes a report to the user's slot. False if the user has none.
bool leave_report(const std::filesystem::path& folder, const JobReport& report);

}  // namespace slipway::health
