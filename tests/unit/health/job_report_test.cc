// Tests of reports that users leave for root: taken for what they are, whatever lies there.
#include "launcher/health/job_report.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "common/error.h"
#include "common/file.h"
#include "tests/unit/catch.h"
#include "tests/unit/health/support.h"
#include "tests/unit/temporary_directory.h"

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

size_t files_in(const TemporaryDirectory& folder) {
  const std::filesystem::directory_iterator all(folder.path());
  return static_cast<size_t>(std::distance(begin(all), end(all)));
}

}  // namespace

TEST_CASE("job report: what an agent leaves is found, with its owner, and is gone when removed") {
  const TemporaryDirectory folder;
  REQUIRE(leave_report(folder.path(), {"12", 3, Cause::unfit, "gpu_ecc"}));
  const FoundReports found = find_reports(folder.path());
  REQUIRE(found.reports.size() == 1);
  const JobReport& report = found.reports.at(0);
  CHECK(report.job == "12");
  CHECK(report.attempt == 3);
  CHECK(report.cause == Cause::unfit);
  CHECK(report.detail == "gpu_ecc");
  CHECK(report.user == ::getuid());
  CHECK(files_in(folder) == 1);
  remove_reports(folder.path(), found);
  CHECK(files_in(folder) == 0);
}

TEST_CASE("job report: without a folder nothing is left, and nothing found") {
  CHECK_FALSE(leave_report("/no/such/folder", some_report));
  CHECK(find_reports("/no/such/folder").reports.empty());
}

TEST_CASE("job report: what is none is removed unread") {
  const TemporaryDirectory folder;
  const TemporaryDirectory elsewhere;
  write_file(elsewhere / "secret.json", some_text());
  write_file(folder / "garbage.json", "{");
  write_file(folder / "empty.json", "");
  write_file(folder / "large.json", some_text() + std::string(600, ' '));
  std::filesystem::create_symlink(elsewhere / "secret.json", folder / "link.json");
  REQUIRE(::mkfifo((folder / "pipe.json").c_str(), 0666) == 0);
  std::filesystem::create_directory(folder / "folder.json");
  const FoundReports found = find_reports(folder.path());
  CHECK(found.reports.empty());
  CHECK(found.to_remove.size() == 6);
  remove_reports(folder.path(), found);
  CHECK(files_in(folder) == 0);
  CHECK(std::filesystem::exists(elsewhere / "secret.json"));
}

TEST_CASE("job report: a folder that is a link is none") {
  const TemporaryDirectory folder;
  const TemporaryDirectory links;
  REQUIRE(leave_report(folder.path(), some_report));
  std::filesystem::create_symlink(folder.path(), links / "reports");
  CHECK(find_reports(links / "reports").reports.empty());
}

TEST_CASE("job report: one of each user is taken, however many there are") {
  const TemporaryDirectory folder;
  for (int i = 0; i < 20; ++i) {
    write_file(folder / fmt::format("{}.json", i), some_text());
  }
  const FoundReports found = find_reports(folder.path());
  CHECK(found.reports.size() == 1);
  CHECK(found.to_remove.size() == 20);
}

TEST_CASE("job report: of more users than a look takes the others wait for the next") {
  if (::geteuid() != 0) return;  // files of others
  const TemporaryDirectory folder;
  for (uid_t user = 1001; user <= 1006; ++user) {
    write_file(folder / fmt::format("{}.json", user), some_text());
    REQUIRE(::chown((folder / fmt::format("{}.json", user)).c_str(), user, user) == 0);
  }
  FoundReports found = find_reports(folder.path());
  CHECK(found.reports.size() == 4);
  remove_reports(folder.path(), found);
  found = find_reports(folder.path());
  CHECK(found.reports.size() == 2);
}

TEST_CASE("job report: a file that is being written is left alone") {
  const TemporaryDirectory folder;
  write_file(folder / "12-3-7.json.aBcDeF", "{\"sch");
  CHECK(find_reports(folder.path()).to_remove.empty());
}

TEST_CASE("job report: words of a user's own are no part of it") {
  CHECK(complaint_of(some_text()).empty());
  CHECK(complaint_of(changed(R"("12")", R"("12 Action:Reboot")")) == "the job is no number");
  CHECK(complaint_of(changed(R"("12")", R"("")")) == "the job is no number");
  CHECK(complaint_of(changed(R"("detail":"")", R"("detail":"x")")) ==
        "the detail is none of its cause");
  CHECK(complaint_of(changed(R"("failures","detail":"")", R"("xid","detail":"79 x")")) ==
        "the detail is none of its cause");
  CHECK(complaint_of(changed(R"("failures","detail":"")", R"("unfit","detail":"gpu <b>")")) ==
        "the detail is none of its cause");
  CHECK(complaint_of(changed(R"("failures")", R"("theft")")) == "there is no such cause");
  CHECK(complaint_of(changed(":3,", ":-3,")) == "the attempt is no number");
  CHECK(complaint_of(changed(":3,", ":3e99,")) == "the attempt is no number");
  CHECK(complaint_of(changed("report/1", "report/2")) == "it is of another schema");
  CHECK_FALSE(complaint_of(changed(R"("12")", "12")).empty());
  CHECK_FALSE(complaint_of("[]").empty());
  CHECK_FALSE(complaint_of(std::string(500, '[')).empty());
}

TEST_CASE("job report: each is a finding, in root's words") {
  const Context context = context_with();
  Look look;
  Looking looking(context, look);
  check_reports({{"12", 3, Cause::failures, "", 1000},
                 {"13", 1, Cause::xid, "79", 1001},
                 {"14", 2, Cause::unfit, "gpu_count", 1002},
                 {"15", 2, Cause::held, "", 1003}},
                looking);
  CHECK(look.checks == Lines{"reports"});
  const std::string begin = "node-reported node: job ";
  CHECK(lines_of(look) ==
        Lines{begin + "12 of user 1000 blames it since attempt 3: its last failures began here, "
                      "with different ranks",
              begin + "13 of user 1001 blames it since attempt 1: Xid 79 of a GPU",
              begin + "14 of user 1002 blames it since attempt 2: its look at the node found "
                      "gpu_count",
              begin + "15 of user 1003 blames it since attempt 2: a process of it could not be "
                      "killed"});
}
