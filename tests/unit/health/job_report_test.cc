// Tests of users' reports for root: parsed strictly, whatever the files contain.
#include "launcher/health/job_report.h"

#include "common/error.h"
#include "tests/unit/catch.h"
#include "tests/unit/health/support.h"

using namespace slipway;
using namespace slipway::health;
using Lines = std::vector<std::string>;

namespace {

const JobReport some_report = {"12", 3, Cause::failures, "", 0};

std::string some_text() {
  return to_text(some_report);
}

std::string complaint_of(const std::string& text) {
  try {
    parse_report(text, 0);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

std::string changed(const std::string& from, const std::string& to) {
  std::string text = some_text();
  return text.replace(text.find(from), from.size(), to);
}

}  // namespace

TEST_CASE("job report: a user's own text is rejected") {
  CHECK(complaint_of(some_text()).empty());
  CHECK(complaint_of(changed(R"("12")", R"("12 Action:Reboot")")) == "the job is not a number");
  CHECK(complaint_of(changed(R"("12")", R"("")")) == "the job is not a number");
  CHECK(complaint_of(changed(R"("detail":"")", R"("detail":"x")")) ==
        "the detail does not match the cause");
  CHECK(complaint_of(changed(R"("failures","detail":"")", R"("xid","detail":"79 x")")) ==
        "the detail does not match the cause");
  CHECK(complaint_of(changed(R"("failures","detail":"")", R"("unfit","detail":"gpu <b>")")) ==
        "the detail does not match the cause");
  CHECK(complaint_of(changed(R"("failures")", R"("theft")")) == "unknown cause");
  CHECK(complaint_of(changed(":3,", ":-3,")) == "the attempt is not a number");
  CHECK(complaint_of(changed(":3,", ":3e99,")) == "the attempt is not a number");
  CHECK(complaint_of(changed("report/1", "report/2")) == "unknown schema");
  CHECK_FALSE(complaint_of(changed(R"("12")", "12")).empty());
  CHECK_FALSE(complaint_of("[]").empty());
  CHECK_FALSE(complaint_of(std::string(500, '[')).empty());
}

TEST_CASE("job report: each report is a finding, in fixed texts") {
  const Context context = context_with();
  CheckResults results;
  CheckRun run(context, results);
  check_reports({{"12", 3, Cause::failures, "", 1000},
                 {"13", 1, Cause::xid, "79", 1001},
                 {"14", 2, Cause::unfit, "gpu_count", 1002},
                 {"15", 2, Cause::held, "", 1003}},
                run);
  CHECK(results.checks == Lines{"reports"});
  const std::string begin = "node-reported node: blamed by job ";
  CHECK(lines_of(results) ==
        Lines{begin + "12 of user 1000 since attempt 3: its last failures began here, "
                      "with different ranks",
              begin + "13 of user 1001 since attempt 1: Xid 79 on a GPU",
              begin + "14 of user 1002 since attempt 2: its health check found gpu_count",
              begin + "15 of user 1003 since attempt 2: one of its processes could not be killed"});
}
