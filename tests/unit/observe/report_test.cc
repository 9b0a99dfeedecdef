// Tests of the report of a cluster.
#include "launcher/observe/report.h"

#include <nlohmann/json.hpp>

#include "tests/unit/catch.h"

using namespace slipway;
using namespace slipway::observe;

namespace {

constexpr int64_t hour = 3600, hour_ms = 3'600'000;

// Two nodes for ten hours; after five, n-1 failed.
job::Goodput failed_job() {
  job::Goodput goodput;
  goodput.job = "12";
  goodput.begin_ms = 0;
  goodput.end_ms = 10 * hour_ms;
  goodput.phase_ms[0] = 8 * hour_ms;
  goodput.phase_ms[1] = 2 * hour_ms;
  goodput.steps = 100;
  goodput.causes = {{"node gone", "node", 1, 2 * hour_ms, 10}};
  goodput.runs = {{1, 0, 5 * hour_ms, {"n-0", "n-1"}, {"n-2"}, "node gone", "node", "n-1"},
                  {2, 5 * hour_ms, 10 * hour_ms, {"n-0", "n-2"}, {}, "", "", ""}};
  return goodput;
}

ReportInput input_of_ten_hours() {
  ReportInput input;
  input.to = 10 * hour;
  input.gpus = 32;
  input.jobs = parse_accounted_jobs(
      "12|ann|physics|COMPLETED|2|billing=4,gres/gpu:h100=16,gres/gpu=16,node=2|36000\n"
      "13_4|bob|physics|CANCELLED by 0|1|gres/gpu:h100=8|3600\n"
      "not a line\n");
  input.events = parse_node_events("n-1|DRAIN|gpu_ecc | twice|1-02:00:00\n|||1:00:00\n");
  input.ledgers = {failed_job()};
  return input;
}

}  // namespace

TEST_CASE("report: GPU-hours by user and account, and what was idle") {
  const Report report = make_report(input_of_ten_hours());
  CHECK(report.gpu_hours == 168);
  CHECK(report.idle_gpu_hours == 152);
  CHECK(report.by_user.at("ann").gpu_hours == 160);
  CHECK(report.by_user.at("bob").gpu_hours == 8);
  CHECK(report.by_account.at("physics").jobs == 2);
  CHECK(report.by_user.at("ann").goodput() == 0.8);
  CHECK_FALSE(report.by_user.at("bob").goodput().has_value());
}

TEST_CASE("report: the mean time between failures is in node-hours of the ledgers") {
  const Report report = make_report(input_of_ten_hours());
  REQUIRE(report.causes.size() == 1);
  CHECK(report.ledger_node_hours == 20);
  CHECK(report.causes[0].mtbf_node_hours == 20);
  CHECK(report.causes[0].lost_node_hours == 4);
}

TEST_CASE("report: nodes that were out of service, and that jobs blamed") {
  const Report report = make_report(input_of_ten_hours());
  REQUIRE(report.nodes.size() == 1);
  CHECK(report.nodes[0].node == "n-1");
  CHECK(report.nodes[0].events == 1);
  CHECK(report.nodes[0].hours_out == 26);
  CHECK(report.nodes[0].blamed == 1);
  CHECK(report.nodes[0].reason == "gpu_ecc | twice");
}

TEST_CASE("report: what happened before is left out") {
  ReportInput input = input_of_ten_hours();
  input.from = 6 * hour;
  const Report report = make_report(input);
  CHECK(report.ledger_node_hours == 8);
  CHECK(report.causes.empty());
  input.from = 11 * hour;
  input.to = 20 * hour;
  CHECK(make_report(input).ledgers == 0);
}

TEST_CASE("report: without accounting, GPU-hours are unknown and not zero") {
  ReportInput input = input_of_ten_hours();
  input.jobs.reset();
  const Report report = make_report(input);
  CHECK_FALSE(report.idle_gpu_hours.has_value());
  CHECK(report_json(report).at("gpu_hours").is_null());
  CHECK(report_text(report).find("GPU-hours are unknown") != std::string::npos);
}

TEST_CASE("report: GPUs of a node in two partitions count once") {
  CHECK(parse_gpu_count("n-0|gpu:h100:8(S:0-1)\nn-0|gpu:h100:8(S:0-1)\nn-1|gpu:4,shard:8\n"
                        "n-2|(null)\n") == 12);
}

TEST_CASE("report: text from outside cannot become HTML") {
  ReportInput input = input_of_ten_hours();
  input.events = {{"<b>", "DRAIN", "<script>", 1}};
  const std::string page = report_page(make_report(input));
  CHECK(page.find("<script>") == page.npos);
  CHECK(page.find("<b>") == page.npos);
}
