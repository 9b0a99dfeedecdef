// The program bandwidth_compare: compares two reports, and says whether the new run is slower.
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "common/command_line.h"
#include "common/error.h"
#include "nccl-tests/compare.h"
#include "nccl-tests/run.h"

namespace slipway::bandwidth {
namespace {

constexpr const char* compare_program = "bandwidth_compare";

std::string line_of(const Comparison& one) {
  std::string what =
      fmt::format("{:>12}  {:>8}  {:>6}  {:<12}", one.row.size_bytes, one.row.datatype,
                  one.row.reduction.empty() ? "none" : one.row.reduction, one.placement);
  if (one.row.root) what += fmt::format("  root {}", *one.row.root);
  return fmt::format("{}  {}\n", what, to_string(one));
}

int compare_reports(const std::string& before_path, const std::string& after_path, double allowed) {
  const ReadReport before = read_report(before_path), after = read_report(after_path);
  const std::vector<std::string> unlike = differences(before, after);
  if (!unlike.empty()) {
    fmt::print(stderr, "{}: these runs cannot be compared:\n", compare_program);
    for (const std::string& one : unlike) fmt::print(stderr, "  {}\n", one);
    return exit_could_not_run;
  }
  const std::vector<Comparison> all = compare(before, after);
  fmt::print("{}\n", before.collective);
  for (const Comparison& one : all) fmt::print("{}", line_of(one));
  const auto slower =
      std::ranges::count_if(all, [&](const Comparison& one) { return is_slower(one, allowed); });
  fmt::print("{} of {} slower by more than {:g} %\n", slower, all.size(), allowed * 100);
  return slower > 0 ? exit_fail : exit_pass;
}

int main_of_compare(const std::vector<std::string>& args) try {
  std::string before, after;
  double allowed_percent = 2;
  CommandLine line(compare_program, "Compare two reports of the bandwidth tests, size by size.");
  line.about(
      "A size counts as slower only if its whole 95 % interval is slower by more than --allow.");
  line.positional("OLD", &before);
  line.positional("NEW", &after);
  line.option("allow", "PERCENT", "tolerate this much", &allowed_percent);
  line.example("bandwidth_compare before.json after.json", "compare before and after an upgrade");
  line.example("bandwidth_compare --allow 5 base.json now.json || echo slower",
               "fail a script when it is slower");
  line.exit_status("0", "no size is slower");
  line.exit_status("1", "at least one size is slower");
  line.exit_status("3", "the runs are not comparable, or a report cannot be read");
  line.see_also("bandwidth_plot(1)");
  if (!line.parse(args)) return exit_pass;
  return compare_reports(before, after, allowed_percent / 100);
} catch (const UsageError& error) {
  fmt::print(stderr, "{}: {}\nTry `{} --help`.\n", compare_program, error.what(), compare_program);
  return exit_usage;
} catch (const std::exception& error) {
  fmt::print(stderr, "{}: {}\n", compare_program, error.what());
  return exit_could_not_run;
}

}  // namespace
}  // namespace slipway::bandwidth

int main(int argc, char** argv) {
  return slipway::bandwidth::main_of_compare({argv + 1, argv + argc});
}
