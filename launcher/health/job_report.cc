// What a job's launcher says of a node that it has blamed.
#include "launcher/health/job_report.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "common/error.h"
#include "common/fd.h"
#include "common/file.h"

namespace slipway::health {
namespace {

constexpr const char* report_schema = "slipway/node-report/1";
constexpr size_t largest_report = 512;
constexpr size_t most_reports = 4;  // of one look; each is a line in the verdict
constexpr size_t most_entries = 256;
constexpr std::time_t unfinished_seconds = 3600;  // older ones have lost their writer
constexpr int64_t most_attempts = 1'000'000;

constexpr std::array<std::string_view, 4> cause_names = {"failures", "xid", "unfit", "held"};

bool is_made_of(const std::string& text, size_t most, const char* characters) {
  return !text.empty() && text.size() <= most && text.find_first_not_of(characters) == text.npos;
}

bool is_detail(Cause cause, const std::string& detail) {
  switch (cause) {
    case Cause::xid:
      return is_made_of(detail, 4, "0123456789");
    case Cause::unfit:
      return is_made_of(detail, 32, "abcdefghijklmnopqrstuvwxyz_");
    default:
      return detail.empty();
  }
}

std::string meaning_of(const JobReport& report) {
  switch (report.cause) {
    case Cause::failures:
      return "its last failures began here, with different ranks";
    case Cause::xid:
      return fmt::format("Xid {} of a GPU", report.detail);
    case Cause::unfit:
      return fmt::format("its look at the node found {}", report.detail);
    case Cause::held:
      break;
  }
  return "a process of it could not be killed";
}

// A file that anybody may have put there, as it is now: no link is followed, and nothing that is
// not a small file of its own is read.
std::optional<JobReport> read_report(int folder, const char* name) {
  const Fd file(::openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat info = {};
  if (!file || ::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
  std::array<char, largest_report + 1> text;
  const ssize_t read = ::read(file.get(), text.data(), text.size());
  if (read <= 0 || static_cast<size_t>(read) > largest_report) return std::nullopt;
  try {
    return parse_report({text.data(), static_cast<size_t>(read)}, info.st_uid);
  } catch (const Error&) {
    return std::nullopt;
  }
}

// Whether somebody may still be writing it, before it gets its name.
bool is_unfinished(int folder, const std::string& name) {
  struct stat info = {};
  if (name.ends_with(".json")) return false;
  if (::fstatat(folder, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) return false;
  return std::time(nullptr) - info.st_ctime < unfinished_seconds;
}

Fd open_folder(const std::filesystem::path& folder) {
  return Fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

}  // namespace

std::string_view name_of(Cause cause) {
  return cause_names.at(static_cast<size_t>(cause));
}

std::string to_text(const JobReport& report) {
  return nlohmann::ordered_json{{"schema", report_schema},
                                {"job", report.job},
                                {"attempt", report.attempt},
                                {"cause", name_of(report.cause)},
                                {"detail", report.detail}}
             .dump() +
         "\n";
}

JobReport parse_report(std::string_view text, uid_t user) {
  JobReport report;
  report.user = user;
  try {
    const auto body = nlohmann::json::parse(text);
    if (body.at("schema") != report_schema) throw Error("it is of another schema");
    body.at("job").get_to(report.job);
    body.at("detail").get_to(report.detail);
    const auto cause = std::ranges::find(cause_names, body.at("cause").get<std::string>());
    if (cause == cause_names.end()) throw Error("there is no such cause");
    report.cause = static_cast<Cause>(cause - cause_names.begin());
    if (!body.at("attempt").is_number_unsigned() || body.at("attempt") > most_attempts) {
      throw Error("the attempt is no number");
    }
    body.at("attempt").get_to(report.attempt);
  } catch (const nlohmann::json::exception& error) {
    throw Error(error.what());
  }
  if (!is_made_of(report.job, 10, "0123456789")) throw Error("the job is no number");
  if (!is_detail(report.cause, report.detail)) throw Error("the detail is none of its cause");
  return report;
}

bool leave_report(const std::filesystem::path& folder, const JobReport& report) {
  try {
    write_file(folder / fmt::format("{}-{}-{}.json", report.job, report.attempt, ::getpid()),
               to_text(report), 0600);
    return true;
  } catch (const Error&) {
    return false;
  }
}

FoundReports find_reports(const std::filesystem::path& folder) {
  FoundReports found;
  Fd fd = open_folder(folder);
  if (!fd) return found;
  const int at = fd.get();
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(::fdopendir(at), ::closedir);
  if (!entries) return found;
  fd.release();  // it is the stream's now
  for (size_t i = 0; i < most_entries; ++i) {
    const dirent* const entry = ::readdir(entries.get());
    if (entry == nullptr) break;
    const std::string name = entry->d_name;
    if (name == "." || name == ".." || is_unfinished(at, name)) continue;
    const auto report = read_report(at, name.c_str());
    const bool known = report && std::ranges::find(found.reports, report->user, &JobReport::user) !=
                                     found.reports.end();
    if (report && !known) {
      // It is taken the next time.
      if (found.reports.size() == most_reports) continue;
      found.reports.push_back(*report);
    }
    found.to_remove.push_back(name);
  }
  return found;
}

void remove_reports(const std::filesystem::path& folder, const FoundReports& found) {
  const Fd fd = open_folder(folder);
  for (const std::string& name : found.to_remove) {
    if (fd && ::unlinkat(fd.get(), name.c_str(), 0) != 0) {
      ::unlinkat(fd.get(), name.c_str(), AT_REMOVEDIR);
    }
  }
}

void check_reports(const std::vector<JobReport>& reports, Looking& looking) {
  looking.begin("reports");
  for (const JobReport& report : reports) {
    looking.find_event(reported_kind, "node",
                       fmt::format("job {} of user {} blames it since attempt {}: {}", report.job,
                                   report.user, report.attempt, meaning_of(report)));
  }
}

}  // namespace slipway::health
