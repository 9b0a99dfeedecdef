// The program bandwidth_compare: compares two sides of reports, and says whether the new one is
// slower; or judges several reports of one test together against the expected figures.
#include <algorithm>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "common/command_line.h"
#include "common/count.h"
#include "common/error.h"
#include "common/file.h"
#include "common/text.h"
#include "nccl-tests/compare.h"
#include "nccl-tests/compare_json.h"
#include "nccl-tests/judge_reports.h"
#include "nccl-tests/programs.h"
#include "nccl-tests/run.h"
#include "nccl-tests/run_pairs.h"

namespace slipway::bandwidth {
namespace {

constexpr const char* compare_program = "bandwidth_compare";

struct CompareOptions {
  std::string before, after;
  double allowed_percent = 2;
  std::vector<std::string> run;
  int runs = 8;
  std::string keep;
  std::string figures;
  bool json = false;
};

std::string line_of(const Comparison& one) {
  std::string what =
      fmt::format("{:>12}  {:>8}  {:>6}  {:<12}", one.row.size_bytes, one.row.datatype,
                  one.row.reduction.empty() ? "none" : one.row.reduction, one.placement);
  if (one.row.root) what += fmt::format("  root {}", *one.row.root);
  return fmt::format("{}  {}\n", what, to_string(one));
}

// The reports of one side: files, separated by commas, or a folder of them.
std::vector<ReadReport> read_side(const std::string& text) {
  std::vector<ReadReport> reports;
  if (std::filesystem::is_directory(text)) {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(text)) {
      if (entry.path().extension() == ".json") files.push_back(entry.path());
    }
    std::ranges::sort(files);
    for (const auto& file : files) reports.push_back(read_report(file));
    if (reports.empty()) throw Error(fmt::format("{} has no reports (*.json)", text));
    return reports;
  }
  for (const std::string& file : split(text, ',')) reports.push_back(read_report(file));
  return reports;
}

// Prints how reports differ from the first one; true if none does.
bool all_alike(const std::vector<const ReadReport*>& reports) {
  for (const ReadReport* report : reports) {
    const std::vector<std::string> unlike = differences(*reports.front(), *report);
    if (unlike.empty()) continue;
    fmt::print(stderr, "{}: {} and {} cannot be compared:\n", compare_program,
               reports.front()->name, report->name);
    for (const std::string& one : unlike) fmt::print(stderr, "  {}\n", one);
    return false;
  }
  return true;
}

void print_rows(const Sides& sides, const ComparedSides& compared, double allowed) {
  fmt::print("{}, {} and {}\n", sides.before.front().collective,
             counted(sides.before.size(), "old run"), counted(sides.after.size(), "new run"));
  for (const Comparison& one : compared.rows) fmt::print("{}", line_of(one));
  for (const std::string& note : compared.notes) fmt::print("note: {}\n", note);
  const auto slower =
      std::ranges::count(compared.rows, Difference::slower_too_much, &Comparison::finding);
  if (const std::string power = power_of(compared); !power.empty()) fmt::print("{}\n", power);
  fmt::print("{} of {} slower by more than {:g} %\n", slower, compared.rows.size(), allowed * 100);
}

int print_comparison(const Sides& sides, const CompareOptions& options) {
  const double allowed = options.allowed_percent / 100;
  std::vector<const ReadReport*> all;
  for (const ReadReport& report : sides.before) all.push_back(&report);
  for (const ReadReport& report : sides.after) all.push_back(&report);
  if (!all_alike(all)) return exit_could_not_run;
  const ComparedSides compared = compare(sides, allowed);
  options.json ? fmt::print("{}", to_json(sides, compared, allowed))
               : print_rows(sides, compared, allowed);
  return compared.any_slower_too_much() ? exit_fail : exit_pass;
}

int judge_side(const CompareOptions& options) {
  const std::vector<ReadReport> reports = read_side(options.figures);
  std::vector<const ReadReport*> all;
  for (const ReadReport& report : reports) all.push_back(&report);
  if (!all_alike(all)) return exit_could_not_run;
  const Verdict verdict = judge_reports(reports);
  if (options.json) {
    fmt::print("{}", to_json(reports, verdict));
  } else {
    fmt::print("{}, {}\n{}", reports.front().collective, counted(reports.size(), "run"),
               verdict_line(verdict));
  }
  return verdict.outcome == Outcome::fail ? exit_fail : exit_pass;
}

// A folder for reports, removed at the end unless --keep names it. Without --keep it is in the
// working directory, which batch jobs share with their nodes.
class ReportFolder {
 public:
  explicit ReportFolder(const std::string& keep) : path_(keep), kept_(!keep.empty()) {
    if (kept_) {
      std::filesystem::create_directories(path_);
      path_ = std::filesystem::absolute(path_);
      return;
    }
    std::string name = (std::filesystem::current_path() / ".bandwidth_compare.XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw_errno("cannot make a folder for the reports");
    path_ = name;
  }
  ~ReportFolder() {
    std::error_code ignored;
    if (!kept_) std::filesystem::remove_all(path_, ignored);
  }
  ReportFolder(const ReportFolder&) = delete;
  ReportFolder& operator=(const ReportFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  bool kept_;
};

int compare_commands(const CompareOptions& options) {
  const ReportFolder folder(options.keep);
  std::random_device random;
  PairsToRun plan;
  plan.before = options.run[0];
  plan.after = options.run[1];
  plan.pairs = options.runs;
  plan.folder = folder.path();
  plan.after_first = [&] { return (random() & 1) != 0; };
  plan.on_start = [](int number, int all) { fmt::print(stderr, "run {} of {}\n", number, all); };
  return print_comparison(run_pairs(plan), options);
}

void describe_options(CommandLine& line, CompareOptions& options) {
  line.about(
      "OLD and NEW are reports: one, several separated by commas, or a folder of them. A row "
      "counts "
      "as slower if that is more than --allow and no chance: equal runs are called slower in at "
      "most "
      "5 % of all comparisons, all rows together. The unit is a run, so one report a side shows "
      "large "
      "differences only.\n\n"
      "With --run twice, the two commands run in pairs, in random order, which rules out whatever "
      "else changes in time. {report} in a command is the report that it has to write; without it, "
      "--report FILE is appended.");
  line.positional("OLD", &options.before, Arity::optional);
  line.positional("NEW", &options.after, Arity::optional);
  line.option("allow", "PERCENT", "tolerate this much", &options.allowed_percent);
  line.option("run", "COMMAND", "measure this command; twice: the old one, then the new one",
              &options.run);
  line.option("runs", "N", "with --run, how often each command runs", &options.runs);
  line.option("keep", "DIR", "with --run, keep the reports in this folder", &options.keep,
              "they are removed");
  line.option("figures", "REPORTS", "judge these reports together against the expected figures",
              &options.figures, "two sides are compared");
  line.json("schema slipway/bandwidth-comparison/1", &options.json);
  line.example("bandwidth_compare before.json after.json", "compare before and after an upgrade");
  line.example("bandwidth_compare --allow 5 base/ now.json,again.json || echo slower",
               "fail a script when it is slower");
  line.example("bandwidth_compare --run ./old.sh --run ./new.sh --keep /shared/runs",
               "compare two scripts that end with a bandwidth test, 8 runs each");
  line.exit_status("0",
                   "no size is slower; with --figures: passed, too noisy to say or not judged");
  line.exit_status("1", "at least one size is slower, or below its figure");
  line.exit_status("3", "the runs are not comparable, or a report cannot be read or made");
  line.see_also("bandwidth_plot(1)");
}

void check_options(const CompareOptions& options) {
  const bool reports = !options.before.empty(), commands = !options.run.empty();
  const bool figures = !options.figures.empty();
  if (reports + commands + figures != 1)
    throw UsageError("give either OLD and NEW, or --run twice, or --figures");
  if (reports && options.after.empty()) throw UsageError("NEW is missing");
  if (commands && options.run.size() != 2)
    throw UsageError("--run is needed twice: the old command, and the new one");
  const CompareOptions defaults;
  if (!commands && !options.keep.empty()) throw UsageError("--keep needs --run");
  if (!commands && options.runs != defaults.runs) throw UsageError("--runs needs --run");
  if (figures && options.allowed_percent != defaults.allowed_percent)
    throw UsageError("--allow has no effect with --figures, which have tolerances of their own");
  if (options.runs < 1 || options.runs > 1000) throw UsageError("--runs is from 1 to 1000");
  if (!(options.allowed_percent >= 0)) throw UsageError("--allow is at least 0");
}

}  // namespace

int compare_main(const std::vector<std::string>& args) try {
  CompareOptions options;
  CommandLine line(compare_program, "Compare reports of the bandwidth tests, size by size.");
  describe_options(line, options);
  if (!line.parse(args)) return exit_pass;
  check_options(options);
  if (!options.figures.empty()) return judge_side(options);
  if (!options.run.empty()) return compare_commands(options);
  return print_comparison({read_side(options.before), read_side(options.after)}, options);
} catch (const UsageError& error) {
  fmt::print(stderr, "{}: {}\nTry `{} --help`.\n", compare_program, error.what(), compare_program);
  return exit_usage;
} catch (const std::exception& error) {
  fmt::print(stderr, "{}: {}\n", compare_program, error.what());
  return exit_could_not_run;
}

}  // namespace slipway::bandwidth
