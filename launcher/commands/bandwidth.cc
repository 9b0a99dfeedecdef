// `slipway bandwidth`: keeps the results of bandwidth tests, and shows how they changed over time.
#include <fmt/core.h>

#include <algorithm>
#include <cstdio>

#include "common/count.h"
#include "common/error.h"
#include "common/locale_text.h"
#include "launcher/commands/bandwidth.h"
#include "launcher/commands/bandwidth_report.h"
#include "launcher/commands/verb.h"
#include "launcher/history/store.h"
#include "launcher/history/trend.h"

namespace slipway::commands {
namespace {

constexpr int has_become_slower = 3;

void declare_database(CommandLine& line, std::string* file) {
  line.option("database", "FILE", "the database", file, "yours, see FILES");
  line.environment("XDG_STATE_HOME", "where your database is kept (default ~/.local/state)");
  line.file("~/.local/state/slipway/bandwidth.db", "your database");
  line.file("/var/lib/slipway/bandwidth.db", "root's database");
}

std::filesystem::path database_of(const std::string& file) {
  return file.empty() ? history::default_database() : std::filesystem::path(file);
}

int record(Args args) {
  std::string database;
  std::vector<std::string> files;
  CommandLine line("slipway bandwidth record",
                   "Add reports of bandwidth tests to the database of results.");
  line.about(
      "A REPORT is a file that all_gather_perf or one of its siblings wrote with --report. A "
      "report that was recorded before is not added again. If one of the files is not a report, "
      "none is added. Several programs may record at the same time.");
  line.rest("REPORT [REPORT...]", &files);
  declare_database(line, &database);
  line.example("slipway bandwidth record /home/all_gather.json", "after a test with --report");
  line.example("slipway bandwidth record --database /home/team.db /home/reports/*.json",
               "into a database that others use, too");
  line.see_also("slipway-bandwidth-history(1)");
  line.see_also("all_gather_perf(1)");
  if (!line.parse(args)) return 0;
  std::vector<history::RunRecord> runs;
  for (const std::string& file : files) runs.push_back(history::read_run(file));
  const std::filesystem::path path = database_of(database);
  const int added = history::Store(path, history::Store::Mode::write).add(runs);
  const auto known = static_cast<int>(runs.size()) - added;
  fmt::print("recorded {} in {}{}\n", counted(added, "report"), path.string(),
             known == 0 ? "" : fmt::format("; {} had been recorded before", known));
  return 0;
}

int show_history(Args args) {
  std::string database, page;
  history::Selection selection;
  double least_percent = 3;
  bool json = false, check = false;
  CommandLine line("slipway bandwidth history",
                   "Show which bandwidths have become lower, since when, and what changed then.");
  line.about(
      "Runs of the same cluster, collective, nodes, ranks and conditions are compared, in the "
      "order of time. A regression needs three runs before it and two after it, and must stand "
      "out from the noise between runs: if nothing has changed, about one of twenty such "
      "histories shows one. The baseline is the median of the best time before it.");
  line.option("cluster", "NAME", "only runs on this cluster", &selection.cluster, "all");
  line.option("collective", "NAME", "only runs of this collective, such as all_gather",
              &selection.collective, "all");
  line.option("nodes", "N", "only runs on N nodes", &selection.nodes, "all");
  line.option("allow", "PERCENT", "ignore changes that are smaller", &least_percent);
  line.flag("check", "exit with status 3 if a bandwidth has become lower", &check);
  line.option("html", "FILE", "write a page with plots instead; - is stdout", &page);
  line.json("schema slipway/bandwidth-history/1", &json);
  declare_database(line, &database);
  line.example("slipway bandwidth history --collective all_gather", "one collective");
  line.example("slipway bandwidth history --html history.html", "draw it for a browser");
  line.exit_status("3", "with --check: a bandwidth has become lower");
  line.see_also("slipway-bandwidth-record(1)");
  line.see_also("bandwidth_compare(1)");
  if (!line.parse(args)) return 0;
  if (json && !page.empty()) throw UsageError("--json and --html exclude each other");
  if (!(least_percent >= 0 && least_percent < 100))
    throw UsageError("--allow is a percentage, 0 to less than 100");
  const history::Store store(database_of(database), history::Store::Mode::read);
  const auto trends = history::find_trends(store.runs(selection), least_percent / 100);
  if (!page.empty()) {
    write_result(page, trends_page(trends));
  } else {
    std::fputs(
        (json ? trends_json(trends) : for_locale(trends_text(trends, stdout_paint()))).c_str(),
        stdout);
  }
  const bool slower = std::ranges::any_of(trends, history::has_regression);
  return check && slower ? has_become_slower : 0;
}

}  // namespace

int bandwidth(Args args) {
  return run_part(
      {"slipway bandwidth",
       "Keep the results of bandwidth tests, and show how they changed over time.",
       "The tests themselves are all_gather_perf and its siblings. Their reports are recorded in a "
       "database, from which you see when a cluster became slower, and after which change of "
       "driver, image or library.",
       {{"record", record}, {"history", show_history}},
       {{"slipway bandwidth record /home/all_gather.json", "add a report"},
        {"slipway bandwidth history", "show what has become slower"}}},
      args);
}

}  // namespace slipway::commands
