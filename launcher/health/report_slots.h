// Where users leave reports of a node for root: a file for each user who has had a job here.
//
// The folder is a file system of its own, and root's: nobody else can make, remove or list anything
// in it. Each file has room for one report, which is taken up when the node starts, and there is no
// other room: whatever a user does with his own file, others lose nothing.
// docs/decisions/0032-reports-of-blamed-nodes.md.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "launcher/health/job_report.h"

namespace slipway::health {

inline constexpr int most_slots = 64;

// What mount(2) is told of the file system.
std::string slots_mount_options();

// Fills an empty folder with slots that nobody has. Throws Error.
void prepare_slots(const std::filesystem::path& folder);

// Root, before a job: its user has a slot from now on. When all are given, the one that was given
// or written longest ago is taken from its user. False when there is no such folder, or no room.
bool give_slot(const std::filesystem::path& folder, uid_t user);

// What root finds in the folder.
struct FoundReports {
  std::vector<JobReport> reports;     // a few, at most one of each user
  std::vector<std::string> to_empty;  // names of slots, also of those with something else in them
};
FoundReports find_reports(const std::filesystem::path& folder);
void empty_slots(const std::filesystem::path& folder, const FoundReports& found);

// The user: leaves a report in his own slot, over one that is there. False when he has none.
bool leave_report(const std::filesystem::path& folder, const JobReport& report);

}  // namespace slipway::health
