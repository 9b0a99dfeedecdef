// Tests loading finished jobs into BigQuery: a sacct of the tests, and the requests.
#include "launcher/node/job_export.h"

#include <fmt/core.h>

#include <deque>
#include <filesystem>

#include "common/error.h"
#include "common/file.h"
#include "common/text.h"
#include "launcher/node/job_export_run.h"
#include "tests/unit/catch.h"
#include "tests/unit/temporary_directory.h"

using namespace slipway;
using namespace slipway::node;
using nlohmann::json;

namespace {

constexpr int64_t noon = 1763899200;  // 2025-11-23T12:00:00Z

std::string option_of(const std::vector<std::string>& command, const std::string& name) {
  for (const std::string& word : command) {
    if (word.starts_with(name + "=")) return word.substr(name.size() + 1);
  }
  return "";
}

// What sacct would say, and a BigQuery that answers what the test says.
struct Accounting {
  struct Job {
    int64_t number, end;
    std::string name = "train";
  };
  std::vector<Job> jobs;
  std::deque<HttpAnswer> answers;  // to the next requests; then all is fine
  std::vector<json> rows;          // that the table has
  std::vector<size_t> requests;    // rows of each request
  std::vector<std::string> said;
  int64_t now = noon;
  TemporaryDirectory folder;

  // As sacct prints it: all fields of a job, or its number and end.
  std::string sacct(const std::vector<std::string>& command) const {
    const std::string delimiter = option_of(command, "--delimiter");
    std::string out;
    for (const Job& job : jobs) {
      const std::string end = time_text(job.end);
      if (end < option_of(command, "--starttime") || end > option_of(command, "--endtime"))
        continue;
      if (delimiter.empty()) {
        out += fmt::format("{}|{}\n", static_cast<uint64_t>(job.number), end);
        continue;
      }
      for (const std::string& field : split(option_of(command, "--format"), ',')) {
        out += value(job, field) + delimiter;
      }
      out += "\n";
    }
    return out;
  }

  static std::string time_text(int64_t time) {
    tm parts = {};
    const auto seconds = static_cast<std::time_t>(time);
    ::gmtime_r(&seconds, &parts);
    char text[32];
    return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts)};
  }

  static std::string value(const Job& job, const std::string& field) {
    if (field == "DBIndex") return std::to_string(static_cast<uint64_t>(job.number));
    if (field == "JobIDRaw" || field == "JobID") return std::to_string(job.number);
    if (field == "End") return time_text(job.end);
    if (field == "Start") return "None";
    if (field == "Submit") return time_text(job.end - 60);
    if (field == "JobName") return job.name;
    return field == "UID" ? "1000" : field == "State" ? "COMPLETED" : "";
  }

  HttpAnswer answer(const HttpRequest& request) {
    if (request.url.ends_with("/token"))
      return {200, R"({"access_token": "t", "expires_in": 3599})", ""};
    CHECK(request.url ==
          "https://bigquery.googleapis.com/bigquery/v2/projects/p/datasets/d/tables/t/insertAll");
    HttpAnswer given{200, "{}", ""};
    if (!answers.empty()) {
      given = answers.front();
      answers.pop_front();
    }
    const json body = json::parse(request.body);
    requests.push_back(body["rows"].size());
    if (given.status == 200) rows.insert(rows.end(), body["rows"].begin(), body["rows"].end());
    return given;
  }

  size_t run() {
    Cloud cloud([this](const HttpRequest& request) { return answer(request); });
    const Patience patience{std::chrono::steady_clock::now(), {}};
    const ExportOptions options{folder.path() / "memory",
                                "c",
                                {"p", "d", "t", "id"},
                                [this](const auto& command) { return sacct(command); },
                                now};
    return export_jobs(cloud, patience, options,
                       [this](const std::string& what) { said.push_back(what); });
  }

  std::string memory() const { return read_file(folder.path() / "memory"); }
};

}  // namespace

TEST_CASE("job export: the table is the one in cluster.json") {
  const auto table = job_table_in(
      R"({"bigquery": {"project": "p", "dataset": "d", "table": "t", "cluster_id": "i"}})");
  REQUIRE(table);
  CHECK((table->project == "p" && table->dataset == "d" && table->table == "t" &&
         table->cluster_id == "i"));
  CHECK_FALSE(job_table_in("{}"));
  CHECK_FALSE(job_table_in(R"({"bigquery": null})"));
  CHECK_THROWS_AS(job_table_in(R"({"bigquery": {"project": "p"}})"), Error);
}

TEST_CASE("job export: a row has the columns of the table, and the times are UTC") {
  Accounting slurm;
  slurm.jobs = {{7, noon - 5}};
  CHECK(slurm.run() == 0);
  REQUIRE(slurm.rows.size() == 1);
  const json& row = slurm.rows[0]["json"];
  CHECK(row["job_db_uuid"] == 7);
  CHECK(row["cluster_name"] == "c");
  CHECK(row["cluster_id"] == "id");
  CHECK(row["end_time"] == "2025-11-23T11:59:55");
  CHECK(row["start_time"].is_null());
  CHECK(row["uid"] == 1000);
  CHECK(row["entry_uuid"] == slurm.rows[0]["insertId"]);
  const json columns = json::parse(read_file(std::filesystem::path(TEST_SOURCE_ROOT) /
                                             "blueprints/community/modules/scheduler/"
                                             "schedmd-slurm-gcp-v6-controller/jobs-table.json"));
  CHECK(columns.size() == row.size());
  for (const json& column : columns) {
    INFO(column);
    REQUIRE(row.contains(column["name"]));
    if (column["mode"] == "REQUIRED") CHECK_FALSE(row[column["name"]].is_null());
  }
}

TEST_CASE("job export: each job is sent once, also if its record comes late") {
  Accounting slurm;
  slurm.jobs = {{1, noon - 100}, {2, noon - 50}};
  slurm.run();
  slurm.run();
  CHECK(slurm.rows.size() == 2);
  slurm.now += 3600;
  slurm.jobs.push_back({3, noon - 75});  // slurmdbd was away
  slurm.run();
  REQUIRE(slurm.rows.size() == 3);
  CHECK(slurm.rows[2]["json"]["job_db_uuid"] == 3);
}

TEST_CASE("job export: numbers of Slurm's database have 64 bits without a sign") {
  CHECK(parse_list("11146457112912789504|2025-11-23T11:59:55\n").at(0).number ==
        static_cast<int64_t>(11146457112912789504U));
  Accounting slurm;
  slurm.jobs = {{INT64_MIN, noon - 5}, {-1, noon - 4}};
  CHECK(slurm.run() == 0);
  CHECK(slurm.run() == 0);
  REQUIRE(slurm.rows.size() == 2);
  CHECK(slurm.rows[0]["json"]["job_db_uuid"] == INT64_MIN);
}

TEST_CASE("job export: what is remembered does not grow") {
  Accounting slurm;
  slurm.jobs = {{1, noon - 100}};
  slurm.run();
  CHECK(slurm.memory() == fmt::format("slipway/export/1 {}\n1 {}\n", noon, noon - 100));
  slurm.now += 2 * export_overlap;
  slurm.run();
  CHECK(slurm.memory() == fmt::format("slipway/export/1 {}\n", slurm.now));
  CHECK(slurm.rows.size() == 1);
}

TEST_CASE("job export: many jobs are several requests, the oldest first") {
  Accounting slurm;
  for (int64_t i = 0; i < 1200; ++i) slurm.jobs.push_back({i + 1, noon - 1 - i});
  slurm.run();
  CHECK(slurm.requests == std::vector<size_t>{500, 500, 200});
  CHECK(slurm.rows.front()["json"]["job_db_uuid"] == 1200);
  CHECK(slurm.said == std::vector<std::string>{"loaded 1200 finished jobs into BigQuery"});
}

TEST_CASE("job export: after a failed request, only what the table lacks is sent again") {
  Accounting slurm;
  for (int64_t i = 0; i < 700; ++i) slurm.jobs.push_back({i + 1, noon - 1000 + i});
  slurm.answers = {{200, "{}", ""}, {403, R"({"error": {"message": "no right"}})", ""}};
  CHECK_THROWS_AS(slurm.run(), Error);
  CHECK(slurm.rows.size() == 500);
  slurm.run();
  CHECK(slurm.rows.size() == 700);
  CHECK(slurm.requests == std::vector<size_t>{500, 200, 200});
}

TEST_CASE("job export: a row that the table refuses holds up no other") {
  Accounting slurm;
  slurm.jobs = {{1, noon - 3}, {2, noon - 2}, {3, noon - 1}};
  slurm.answers = {
      {200, R"({"insertErrors": [{"index": 1, "errors": [{"message": "too long"}]}]})", ""}};
  CHECK(slurm.run() == 1);
  CHECK(slurm.said.back() == "BigQuery refused 1 of the rows: too long");
  slurm.run();
  CHECK(slurm.requests == std::vector<size_t>{3, 1});
}

TEST_CASE("job export: no user's text becomes another row or a broken request") {
  Accounting slurm;
  slurm.jobs = {{1, noon - 3, "a|b\n2|2|2|COMPLETED|\xff\x80"}, {2, noon - 2, "\n"}};
  slurm.jobs.push_back({3, noon - 1, std::string(100000, 'x')});
  slurm.run();
  REQUIRE(slurm.rows.size() == 3);
  CHECK(slurm.rows[0]["json"]["job_name"] == "a|b\n2|2|2|COMPLETED|\xef\xbf\xbd\xef\xbf\xbd");
  CHECK(slurm.rows[1]["json"]["job_name"] == "\n");
  CHECK(slurm.rows[2]["json"]["job_name"].get<std::string>().size() == 4096);
}

TEST_CASE("job export: a request stays below the limit of bytes") {
  Accounting slurm;
  for (int64_t i = 0; i < 500; ++i)
    slurm.jobs.push_back({i + 1, noon - 1000 + i, std::string(4096, '\x01')});
  slurm.run();
  CHECK(slurm.requests.size() > 1);
  CHECK(slurm.rows.size() == 500);
}

TEST_CASE("job export: a damaged record is an error, and nothing is sent") {
  for (const char* text : {"", "x 1\n", "slipway/export/1\n", "slipway/export/1 5\nx 1\n"}) {
    CHECK_THROWS_AS(parse_export_memory(text), Error);
  }
  Accounting slurm;
  slurm.jobs = {{1, noon - 3}};
  write_file(slurm.folder.path() / "memory", "damaged\n");
  CHECK_THROWS_AS(slurm.run(), Error);
  CHECK(slurm.rows.empty());
}

TEST_CASE("job export: unexpected output of sacct is an error") {
  CHECK_THROWS_AS(parse_list("sacct: error\n"), Error);
  CHECK_THROWS_AS(parse_rows("1|x|", "|", "c", "id"), Error);
  CHECK(parse_list("5|Unknown\n").empty());
}
