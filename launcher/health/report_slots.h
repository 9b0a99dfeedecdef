// The files in which users leave reports about a node for root: one for each user who has had a job
// on the node.
//
// The folder is a separate file system that belongs to root: nobody else can create, remove or list
// anything in it. Each file is one page, allocated when the node boots, and the file system has
// room for nothing else: whatever users do to their own file, others lose nothing.
// docs/decisions/0032-reports-of-blamed-nodes.md.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "launcher/health/job_report.h"

namespace slipway::health {

inline constexpr int most_slots = 64;

// The file system's options for mount(2).
std::string slots_mount_options();

// Fills an empty folder with free slots. Throws Error.
void prepare_slots(const std::filesystem::path& folder);

// For root, before a job: gives the job's user a slot. If none is free, takes over the slot
// that was assigned or written the longest ago. False if the folder is missing or has no room.
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
