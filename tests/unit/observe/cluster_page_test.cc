// Tests of the page of a cluster, and of reading Prometheus' answers.
#include "launcher/observe/cluster_page.h"

#include <fmt/core.h>

#include "common/error.h"
#include "launcher/observe/cluster_groups.h"
#include "launcher/observe/metric_table.h"
#include "tests/unit/catch.h"

using namespace slipway;
using namespace slipway::observe;

namespace {

Prometheus answering(const std::string& text) {
  return {"http://p:9090", [text](const std::string&) { return text; }};
}

}  // namespace

TEST_CASE("prometheus: samples, curves and firing alerts are read from its answers") {
  const auto samples = answering(R"({"status":"success","data":{"resultType":"vector","result":[)"
                                 R"({"metric":{"node":"n-0"},"value":[1764104261.1,"0.25"]}]}})")
                           .now("x");
  REQUIRE(samples.size() == 1);
  CHECK(samples[0].labels.at("node") == "n-0");
  CHECK(samples[0].value == 0.25);
  const auto curves = answering(R"({"status":"success","data":{"resultType":"matrix","result":[)"
                                R"({"metric":{},"values":[[10,"1"],[20,"2"]]}]}})")
                          .curves("x", 10, 20, 10);
  REQUIRE(curves.size() == 1);
  CHECK(curves[0].points == std::vector<std::pair<double, double>>{{10, 1}, {20, 2}});
  const auto alerts = answering(R"({"status":"success","data":{"alerts":[)"
                                R"({"labels":{"alertname":"B","node":"n-1","severity":"critical"},)"
                                R"("annotations":{"summary":"it broke"},"state":"firing",)"
                                R"("activeAt":"2026-01-31T12:00:00.5Z","value":"1e+00"},)"
                                R"({"labels":{"alertname":"A"},"annotations":{},"state":"pending",)"
                                R"("activeAt":"2026-01-31T12:00:00.5Z","value":"1e+00"}]}})")
                          .firing();
  REQUIRE(alerts.size() == 1);
  CHECK(alerts[0].name == "B");
  CHECK(alerts[0].since == "2026-01-31T12:00:00Z");
}

TEST_CASE("prometheus: a refusal says why, and other answers are errors") {
  try {
    answering(R"({"status":"error","errorType":"bad_data","error":"parse error"})").now("x(");
    FAIL("accepted");
  } catch (const Error& error) {
    CHECK(std::string(error.what()) == "Prometheus refused: parse error");
  }
  for (const char* wrong : {"", "<html>", "{}", R"({"status":"success","data":{}})",
                            R"({"status":"success","data":{"result":[{"value":[1]}]}})"}) {
    CAPTURE(wrong);
    CHECK_THROWS_AS(answering(wrong).now("x"), Error);
  }
}

TEST_CASE("cluster page: text from outside cannot become HTML") {
  ClusterPage page;
  page.from = 1'764'100'000;
  page.to = page.from + 3600;
  const std::string evil = "<script>\"&";
  page.alerts.push_back({evil, evil, evil, evil, evil});
  page.nodes.push_back({evil, evil, {}, {}, {}, {}, {}});
  JobRow job;
  job.job = job.user = evil;
  job.badput_seconds.emplace_back(evil, 1);
  page.jobs.push_back(job);
  page.charts.push_back(
      {"title", "kW", 1, "x", "node", {{{{"node", evil}}, {{1'764'100'000, 1}}}}});
  const std::string text = page_text(page);
  CHECK(text.find("<script>") == text.npos);
  CHECK(text.find("&lt;script&gt;&quot;&amp;") != text.npos);
}

TEST_CASE("cluster page: alerts of one name share a row, critical ones first") {
  ClusterPage page;
  page.alerts = {{"Hot", "warning", "n-2", "n-2 is hot", "2026-01-31T12:05:00Z"},
                 {"Hot", "warning", "n-1", "n-1 is hot", "2026-01-31T12:00:00Z"},
                 {"Lost", "critical", "n-7", "n-7 lost a GPU", "2026-01-31T13:00:00Z"},
                 {"Hot", "warning", "n-1", "n-1 is hot", "2026-01-31T12:09:00Z"}};
  const std::vector<AlertGroup> groups = grouped(page.alerts);
  REQUIRE(groups.size() == 2);
  CHECK(groups[0].first.name == "Lost");
  CHECK(groups[1].nodes == std::vector<std::string>{"n-2", "n-1"});
  const std::string text = page_text(page);
  CHECK_THAT(text, ContainsSubstring("<b>4</b>alerts"));
  CHECK_THAT(text, ContainsSubstring("<td>n-[1-2]</td><td class=\"text\">n-1 is hot; and 2 more "
                                     "like it</td><td>2026-01-31 12:00Z</td>"));
}

TEST_CASE("cluster page: 1,000 nodes are a row for each state, and unfit ones come first") {
  ClusterPage page;
  for (int i = 0; i < 1000; ++i) {
    const bool is_fit = i != 500;
    page.nodes.push_back({fmt::format("n-{}", i), is_fit ? "allocated" : "drained", is_fit, 8,
                          i % 2 == 0 ? 0.5 : 1.0, 40 + i % 30, 4000});
  }
  page.nodes.push_back({"n-1000", "down", {}, {}, {}, {}, {}});
  const std::vector<NodeGroup> groups = grouped(page.nodes);
  REQUIRE(groups.size() == 3);
  CHECK(groups[0].names == std::vector<std::string>{"n-500"});
  CHECK(groups[1].names == std::vector<std::string>{"n-1000"});
  CHECK(groups[2].row.gpus == 999 * 8);
  CHECK(groups[2].row.watts == 999 * 4000);
  CHECK(groups[2].row.celsius == 69);
  CHECK(*groups[2].row.utilization == Approx(0.75).margin(0.001));
  CHECK_THAT(page_text(page), ContainsSubstring("n-[0-499,501-999] (999 nodes)"));
  page.nodes.resize(8);
  CHECK(grouped(page.nodes).size() == 8);
}

TEST_CASE("cluster page: a gap in the points is a gap in the curve") {
  Chart chart{"Power", "kW", 1e-3, "x", "", {}};
  Curve curve;
  for (int i = 0; i < 10; ++i) curve.points.emplace_back(1000 + 15 * i, 700);
  for (int i = 0; i < 10; ++i) curve.points.emplace_back(3000 + 15 * i, 700);
  chart.curves.push_back(curve);
  const std::string svg = chart_text(chart, 1000, 4600);
  CHECK(svg.find("<polyline") != svg.rfind("<polyline"));
  CHECK(chart_text({"Empty", "kW", 1, "x", "", {}}, 0, 60).find("no data") != std::string::npos);
}

TEST_CASE("cluster page: asks only for metrics that exist") {
  for (const std::string& expression : page_expressions()) {
    size_t at = 0;
    bool any = false;
    while ((at = expression.find("slipway_", at)) != expression.npos) {
      const size_t end = expression.find_first_not_of("abcdefghijklmnopqrstuvwxyz_", at);
      CAPTURE(expression);
      CHECK(find_metric(expression.substr(at, end - at)) != nullptr);
      at = std::min(end, expression.size());
      any = true;
    }
    CHECK(any);
  }
}
