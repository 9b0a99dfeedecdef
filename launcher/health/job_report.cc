// Writes, parses and validates job reports about nodes.
#include "launcher/health/job_report.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/json.h"

namespace slipway::health {
namespace {

constexpr const char* report_schema = "slipway/node-report/1";
constexpr int64_t most_attempts = 1'000'000;

constexpr std::array<std::string_view, 5> cause_names = {"failures", "xid", "unfit", "held",
                                                         "task_report"};

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
      return fmt::format("Xid {} on a GPU", report.detail);
    case Cause::unfit:
      return fmt::format("its health check found {}", report.detail);
    case Cause::task_report:
      return "a program reported that part of the node is broken";
    case Cause::held:
      break;
  }
  return "one of its processes could not be killed";
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
    const auto body = parse_json(text);
    if (body.at("schema") != report_schema) throw Error("unknown schema");
    body.at("job").get_to(report.job);
    body.at("detail").get_to(report.detail);
    const auto cause = std::ranges::find(cause_names, body.at("cause").get<std::string>());
    if (cause == cause_names.end()) throw Error("unknown cause");
    report.cause = static_cast<Cause>(cause - cause_names.begin());
    if (!body.at("attempt").is_number_unsigned() || body.at("attempt") > most_attempts) {
      throw Error("the attempt is not a number");
    }
    body.at("attempt").get_to(report.attempt);
  } catch (const nlohmann::json::exception& error) {
    throw Error(error.what());
  }
  if (!is_made_of(report.job, 10, "0123456789")) throw Error("the job is not a number");
  if (!is_detail(report.cause, report.detail)) throw Error("the detail does not match the cause");
  return report;
}

void check_reports(const std::vector<JobReport>& reports, CheckRun& run) {
  run.begin("reports");
  for (const JobReport& report : reports) {
    run.find_event(reported_kind, "node",
                   fmt::format("blamed by job {} of user {} since attempt {}: {}", report.job,
                               report.user, report.attempt, meaning_of(report)));
  }
}

}  // namespace slipway::health
