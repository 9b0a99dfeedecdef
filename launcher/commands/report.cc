// `slipway report`: what happened on the cluster over some days.
#include <fmt/core.h>

#include <cstdio>
#include <ctime>
#include <nlohmann/json.hpp>

#include "common/command_line.h"
#include "common/error.h"
#include "common/file.h"
#include "common/locale_text.h"
#include "common/process.h"
#include "common/text.h"
#include "common/utc.h"
#include "launcher/commands/commands.h"
#include "launcher/commands/page.h"
#include "launcher/job/ledger.h"
#include "launcher/observe/report.h"

namespace slipway::commands {
namespace {

namespace fs = std::filesystem;

constexpr size_t largest_reported_ledger = size_t{1} << 30;
constexpr std::chrono::seconds accounting_limit{120};

// "7d", "12h": seconds. Throws UsageError.
int64_t seconds_of(const std::string& text) {
  const auto count = to_number<int64_t>(text.substr(0, text.size() - 1));
  const int64_t unit = text.ends_with('d') ? 86400 : text.ends_with('h') ? 3600 : 0;
  if (text.size() < 2 || !count || *count < 1 || *count > 3660 || unit == 0) {
    throw UsageError(fmt::format("`{}` is not a time such as 7d or 12h", text));
  }
  return *count * unit;
}

// A ledger, or all ledgers in a folder.
std::vector<fs::path> ledgers_at(const fs::path& path) {
  if (!fs::is_directory(path)) return {path};
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(path)) {
    const std::string name = entry.path().filename();
    if (name.starts_with("slipway-ledger-") && name.ends_with(".jsonl")) {
      files.push_back(entry.path());
    }
  }
  std::ranges::sort(files);
  return files;
}

// What a program of Slurm prints; empty, with a line on stderr, if it fails.
std::optional<std::string> told_by(const std::vector<std::string>& argv) {
  try {
    return run_checked(argv, {.input = "", .deadline = accounting_limit});
  } catch (const Error& error) {
    fmt::print(stderr, "slipway report: {}\n", error.what());
    return std::nullopt;
  }
}

observe::ReportInput read_report_input(int64_t seconds, const std::vector<std::string>& ledgers) {
  observe::ReportInput input;
  input.to = static_cast<int64_t>(std::time(nullptr));
  input.from = input.to - seconds;
  for (const std::string& path : ledgers) {
    for (const fs::path& file : ledgers_at(path)) {
      const std::string text = read_regular_file(file, largest_reported_ledger);
      input.ledgers.push_back(job::goodput_of(job::parse_ledger(text, file)));
    }
  }
  // Slurm reads times in the zone of the machine.
  const std::string since = fmt::format("now-{}seconds", seconds);
  if (const auto jobs =
          told_by({"sacct", "--allusers", "--allocations", "--parsable2", "--noheader",
                   "--starttime=" + since, "--truncate",
                   "--format=JobID,User,Account,State,NNodes,AllocTRES,ElapsedRaw"})) {
    input.jobs = observe::parse_accounted_jobs(*jobs);
    const auto events =
        told_by({"sacctmgr", "--parsable2", "--noheader", "--readonly", "show", "event",
                 "start=" + since, "format=NodeName,State,Reason,Duration"});
    input.events = observe::parse_node_events(events.value_or(""));
  }
  const auto nodes = told_by({"sinfo", "--noheader", "--Node", "--format=%N|%G"});
  input.gpus = observe::parse_gpu_count(nodes.value_or(""));
  return input;
}

}  // namespace

int report(Args args) {
  std::string since = "7d", page;
  bool json = false;
  std::vector<std::string> ledgers;
  CommandLine line("slipway report", "Report what happened on the cluster over some days.");
  line.about(
      "GPU-hours and goodput by user and account, idle GPU-hours, mean time between failures by "
      "cause, and the nodes with the most trouble: from Slurm's accounting, where it is kept, and "
      "from jobs' ledgers.");
  line.option("since", "TIME", "days (7d) or hours (12h)", &since);
  line.option("ledger", "FILE|FOLDER",
              "a job's ledger, or a folder with ledgers; may be given several times", &ledgers);
  line.option("html", "FILE", "write a page for a browser instead; - is stdout", &page);
  line.json("schema slipway/report/1", &json);
  line.example("slipway report --since 7d --ledger /home/me", "the last week");
  line.example("slipway report --since 30d --html report.html", "a page of the last 30 days");
  line.see_also("slipway-ledger(1)");
  if (!line.parse(args)) return 0;
  if (json && !page.empty()) throw UsageError("--json and --html exclude each other");
  const observe::Report made = observe::make_report(read_report_input(seconds_of(since), ledgers));
  if (!page.empty()) {
    write_result(page, report_page(made));
  } else if (json) {
    fmt::print("{}\n", report_json(made).dump(2, ' ', false,
                                              nlohmann::ordered_json::error_handler_t::replace));
  } else {
    std::fputs(for_locale(report_text(made)).c_str(), stdout);
  }
  return 0;
}

}  // namespace slipway::commands
