// Tests of the report on many nodes.
#include "launcher/health/report.h"

#include <nlohmann/json.hpp>

#include "launcher/health/verdict.h"
#include "tests/unit/catch.h"

using namespace slipway::health;

namespace {

Verdict verdict_of(const std::string& node, const std::string& evidence = {}) {
  Verdict verdict;
  verdict.node = node;
  verdict.time = 1'800'000'000;
  verdict.checks = {"gpu_ecc", "disk"};
  if (evidence.empty()) return verdict;
  verdict.action = Action::drain;
  verdict.findings.push_back(
      {{"disk-full", "/run", evidence, "disk", 0, false}, Action::drain, "health policy", false});
  return verdict;
}

std::string text_of(const Verdict& verdict) {
  return to_json(verdict).dump(2) + "\n";
}

std::vector<ReportedNode> three_nodes() {
  std::vector<ReportedNode> nodes =
      read_verdicts(text_of(verdict_of("n-1")) + text_of(verdict_of("n-2", "a <b> & \"c\"")), "x");
  ReportedNode off;
  off.name = "n-0";
  off.trouble = "it is off";
  nodes.push_back(off);
  sort_nodes(nodes);
  return nodes;
}

}  // namespace

TEST_CASE("health report: a table has the most severe first, and counts healthy nodes") {
  CHECK(as_table(three_nodes()) ==
        "NODE  ACTION   CHECK  DEVICE  EVIDENCE\n"
        "n-2   drain    disk   /run    a <b> & \"c\"\n"
        "n-0   unknown                 it is off\n"
        "\n"
        "1 of 3 nodes are healthy\n");
  CHECK(as_table(read_verdicts(text_of(verdict_of("n-1")), "x")) == "1 of 1 nodes are healthy\n");
}

TEST_CASE("health report: a node with a note is healthy") {
  Verdict verdict = verdict_of("n-1", "3 of 4 clocks");
  verdict.action = verdict.findings[0].action = Action::note;
  CHECK_THAT(as_table(read_verdicts(text_of(verdict), "x")),
             ContainsSubstring("note") && ContainsSubstring("1 of 1 nodes are healthy\n"));
}

TEST_CASE("health report: JSON has each node's findings, or why there is no verdict") {
  const auto report = nlohmann::json::parse(as_json(three_nodes()));
  CHECK(report["schema"] == "slipway/health-report/1");
  REQUIRE(report["nodes"].size() == 3);
  CHECK(report["nodes"][0]["node"] == "n-2");
  CHECK(report["nodes"][0]["fit"] == false);
  CHECK(report["nodes"][0]["findings"][0]["evidence"] == "a <b> & \"c\"");
  CHECK(report["nodes"][1] ==
        nlohmann::json{{"node", "n-0"}, {"fit", false}, {"trouble", "it is off"}});
  CHECK(report["nodes"][2]["fit"] == true);
}

TEST_CASE("health report: a node with a note is healthy, and looks it") {
  Verdict verdict = verdict_of("n-1", "off by 1 s");
  verdict.action = verdict.findings[0].action = Action::note;
  const auto nodes = read_verdicts(text_of(verdict), "x");
  CHECK_THAT(as_table(nodes),
             ContainsSubstring("n-1   note ") && ContainsSubstring("1 of 1 nodes are healthy\n"));
  const std::string page = as_page(nodes, "Nodes", 1'800'000'000);
  CHECK_THAT(page,
             ContainsSubstring("<p class=\"state good\">1 of 1 nodes are healthy</p>") &&
                 ContainsSubstring("<span class=\"word none\">healthy</span> <small>1 note") &&
                 ContainsSubstring("<details><summary>1 note, which need"));
  CHECK(page.find("<h2>Findings</h2>") == std::string::npos);
}

TEST_CASE("health report: the page shows when findings were new, if that is known") {
  auto nodes = three_nodes();
  CHECK_THAT(as_page(nodes, "Nodes", 1'800'000'000), !ContainsSubstring("last week"));
  nodes[0].events = read_events(R"({"schema": "slipway/health-history/1",
      "events": [[1799996400, "gpu-xid|<b>|79"], [1799999999, "disk-full|/run"]]})");
  CHECK_THAT(
      as_page(nodes, "Nodes", 1'800'000'000),
      ContainsSubstring("<circle cx=\"0.00%\" cy=\"9\" r=\"5\"><title>2027-01-15 07:00:00 UTC: "
                        "gpu-xid &lt;b&gt; 79</title>") &&
          ContainsSubstring("<circle cx=\"99.97%\""));
  CHECK(read_events("").empty());
  CHECK(read_events("{\"events\": [[\"x\"]]}").empty());
}

TEST_CASE("health report: nodes are ordered by their numbers") {
  std::vector<ReportedNode> nodes(3);
  nodes[0].name = "n-10";
  nodes[1].name = "n-2";
  nodes[2].name = "m-11";
  sort_nodes(nodes);
  CHECK(nodes[0].name == "m-11");
  CHECK(nodes[1].name == "n-2");
  CHECK(nodes[2].name == "n-10");
}

TEST_CASE("health report: the page needs no other file, and escapes text from nodes") {
  const std::string page = as_page(three_nodes(), "Nodes <of> mine", 1'800'000'000);
  CHECK_THAT(page, ContainsSubstring("<h1>Nodes &lt;of&gt; mine</h1>") &&
                       ContainsSubstring("a &lt;b&gt; &amp; &quot;c&quot;") &&
                       ContainsSubstring("<th>n-0</th><td><span class=\"word unknown\">") &&
                       ContainsSubstring("</html>"));
  for (const char* word : {"<b>&", "src=", "href=", "<script", "http"}) {
    CHECK(page.find(word) == std::string::npos);
  }
}

TEST_CASE("health report: verdicts can be on a line each, or one after another") {
  const std::string first = to_json(verdict_of("n-1", "a } and \\ \"{\"")).dump();
  const auto nodes = read_verdicts(first + "\n" + first + text_of(verdict_of("n-2")), "x");
  REQUIRE(nodes.size() == 3);
  CHECK(nodes[0].findings[0].evidence == "a } and \\ \"{\"");
  CHECK(nodes[2].name == "n-2");
}

TEST_CASE("health report: many nodes with the same finding take a row and a list") {
  std::string text = text_of(verdict_of("n-20", "another"));
  for (int i = 0; i < 9; ++i) text += text_of(verdict_of("n-" + std::to_string(i), "full"));
  auto nodes = read_verdicts(text, "x");
  sort_nodes(nodes);
  CHECK(as_table(nodes) ==
        "NODE     ACTION  CHECK  DEVICE  EVIDENCE\n"
        "9 nodes  drain   disk   /run    full\n"
        "  n-[0-8]\n"
        "n-20     drain   disk   /run    another\n"
        "\n"
        "0 of 10 nodes are healthy\n");
  const std::string page = as_page(nodes, "x", 1'800'000'000);
  CHECK_THAT(page, ContainsSubstring("<tr><th>9 nodes</th>") &&
                       ContainsSubstring("full<br><small>n-[0-8]</small>") &&
                       ContainsSubstring("<tr><th>n-20</th><td><span class=\"word drain\">"));
}

TEST_CASE("health report: an invalid verdict is an error with the file's name") {
  CHECK_THROWS_WITH(read_verdicts("", "x.json"), "x.json contains no health verdict");
  CHECK_THROWS_WITH(read_verdicts("{\"schema\": 1}\n", "x.json"),
                    ContainsSubstring("x.json: not a health verdict"));
  CHECK_THROWS_WITH(read_verdicts("{\"a\n}", "x.json"),
                    ContainsSubstring("x.json: it is not JSON"));
}
