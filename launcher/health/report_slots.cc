// Reads and empties the files in which users leave reports for root.
#include "launcher/health/report_slots.h"

#include <fcntl.h>
#include <unistd.h>

#include <optional>

#include "common/error.h"
#include "common/text.h"

namespace slipway::health {
namespace {

constexpr size_t most_reports = 4;  // per check; each is a line in the verdict

// A slot that belongs to the user whose id is its name.
Fd open_report(const Fd& folder, const std::string& name, struct stat& info) {
  const auto user = to_number<uid_t>(name);
  Fd slot = user ? open_slot(folder, name, O_RDWR, info) : Fd();
  return slot && info.st_uid == *user ? std::move(slot) : Fd();
}

// Returns nothing if the slot has no valid report.
std::optional<JobReport> report_in(const Fd& slot, uid_t user, bool& is_empty) {
  const std::string text = read_slot(slot);
  is_empty = text.empty();
  if (is_empty) return std::nullopt;
  try {
    return parse_report(text, user);
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

bool give_slot(const std::filesystem::path& folder, uid_t user) {
  return assign_slot(folder, std::to_string(user), user, false);
}

FoundReports find_reports(const std::filesystem::path& folder) {
  FoundReports found;
  const Fd fd = open_slots(folder);
  if (!fd) return found;
  for (const std::string& name : slot_names(fd)) {
    struct stat info = {};
    const Fd slot = open_report(fd, name, info);
    if (!slot) continue;
    bool is_empty = true;
    const auto report = report_in(slot, info.st_uid, is_empty);
    if (report) {
      if (found.reports.size() == most_reports) continue;  // read it next time
      found.reports.push_back(*report);
    }
    if (!is_empty || !is_whole_slot(info)) found.to_empty.push_back(name);
  }
  return found;
}

void empty_slots(const std::filesystem::path& folder, const FoundReports& found) {
  if (found.to_empty.empty()) return;
  const Fd fd = open_slots(folder);
  struct stat info = {};
  // Two passes: slots that became longer give back the space that shortened ones need.
  for (int i = 0; fd && i < 2; ++i) {
    for (const std::string& name : found.to_empty) {
      if (const Fd slot = open_report(fd, name, info)) reset_slot(slot);
    }
  }
}

bool leave_report(const std::filesystem::path& folder, const JobReport& report) {
  return write_slot(folder / std::to_string(::geteuid()), to_text(report));
}

}  // namespace slipway::health
