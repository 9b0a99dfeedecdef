// The text table, byte for byte that of nccl-tests 2.19, so that every parser of it works here,
// too.
#include "nccl-tests/table.h"

#include <cmath>

#include <fmt/core.h>

#include "common/text.h"
#include "nccl-tests/statistics.h"

namespace slipway::bandwidth {
namespace {

constexpr int time_width = 7;
constexpr int bandwidth_width = 6;

std::string each_iteration_text(const std::vector<double>& us, const Timing& timing) {
  const IterationTimes times = iteration_times(counted_iterations(us, timing));
  std::string text;
  for (const double value :
       {times.least_us, times.most_us, times.p99_us, times.deviation_percent()}) {
    text += "  " + fit(value, time_width);
  }
  return text;
}

std::string placement_text(const Placement& placement, const Options& options) {
  const bool issue = options.report_issue_time;
  // nccl-tests prints the count as a float; its N/A is one column short.
  const std::string wrong = placement.wrong
                                ? fmt::format("  {:6g}", static_cast<double>(*placement.wrong))
                                : std::string("    N/A");
  std::string text =
      fmt::format("  {}  {}  {}{}", fit(issue ? placement.issue_us : placement.time.us, time_width),
                  fit(placement.algbw_gb_per_s, bandwidth_width),
                  fit(placement.busbw_gb_per_s, bandwidth_width), wrong);
  if (options.timing.each_iteration)
    text += each_iteration_text(placement.iterations_us, options.timing);
  return text;
}

// The titles of the left columns, in one of the three lines of titles.
std::string title_line(std::string_view a, std::string_view b, std::string_view c,
                       std::string_view d, std::string_view e) {
  return fmt::format("# {:>10}  {:>12}  {:>8}  {:>6}  {:>6}", a, b, c, d, e);
}

std::string column_titles(const Options& options) {
  const bool each = options.timing.each_iteration;
  std::string text = title_line("", "", "", "", "");
  text += each ? "              out-of-place (+ per-iteration)                                "
                 "in-place (+ per-iteration)\n"
               : "           out-of-place                       in-place          \n";
  std::string titles = title_line("size", "count", "type", "redop", "root");
  std::string units = title_line("(B)", "(elements)", "", "", "");
  for (int i = 0; i < 2; ++i) {
    titles +=
        fmt::format("  {:>7}  {:>6}  {:>6}  {:>6}", options.report_issue_time ? "cputime" : "time",
                    "algbw", "busbw", "#wrong");
    units += fmt::format("  {:>7}  {:>6}  {:>6}  {:>6}", "(us)", "(GB/s)", "(GB/s)", "");
    if (!each) continue;
    titles += fmt::format("  {:>7}  {:>7}  {:>7}  {:>7}", "i_min", "i_max", "i_p99", "i_cv%");
    units += fmt::format("  {:>7}  {:>7}  {:>7}  {:>7}", "(us)", "(us)", "(us)", "(%)");
  }
  const int pad = options.timestamps ? 19 : 0;
  text += titles + fmt::format(" {:>{}}\n", options.timestamps ? "timestamp" : "", pad);
  return text + units +
         fmt::format(" {:>{}}\n", options.timestamps ? "%Y-%m-%d %H:%M:%S" : "", pad);
}

std::string notes(const Setup& setup) {
  const Timing& timing = setup.options.timing;
  std::string text;
  switch (timing.blocking) {
    case Blocking::none:
      break;
    case Blocking::wait_and_barrier:
      text += "# Blocking Enabled: wait and barrier after each inner iteration (-m) \n";
      break;
    case Blocking::wait:
      text += "# Blocking Enabled: wait after each inner iteration (-m), no barrier \n";
      break;
    case Blocking::wait_then_barrier_untimed:
      text +=
          "# Blocking Enabled: wait and barrier after each outer iteration (-n); time excludes "
          "barrier \n";
  }
  if (timing.each_iteration) {
    // nccl-tests' own text for the GPU's clock.
    text += fmt::format("# Per-Iteration Report: {}; i_* uses max over process rows{} \n",
                        setup.backend.memory == "gpu" ? "CUDA event timing" : "clock of the CPU",
                        timing.skipped == 0
                            ? ""
                            : fmt::format("; summary skips first {} iterations", timing.skipped));
  }
  return text;
}

}  // namespace

std::string fit(double value, int width) {
  for (const int decimals : {2, 1, 0}) {
    std::string text = fmt::format("{:{}.{}f}", value, width, decimals);
    if (text.size() <= static_cast<size_t>(width)) return text;
  }
  return fmt::format("{:{}.{}e}", value, width, width >= 7 ? 1 : 0);
}

namespace {

// A text of nccl-tests, which prints 1.5 KB for 1536 bytes.
std::string memory_text(int64_t bytes) {
  auto amount = static_cast<double>(bytes);
  std::string_view unit = "B";
  for (const std::string_view next : {"KB", "MB", "GB"}) {
    if (std::fabs(amount) < 1024) break;
    amount /= 1024;
    unit = next;
  }
  const int decimals = std::fabs(amount) < 10 ? 2 : std::fabs(amount) < 100 ? 1 : 0;
  return fmt::format("{:.{}f} {}", amount, decimals, unit);
}

std::string memory_line(const MemoryUse& used) {
  return fmt::format(
      "# GPU memory usage     : Initialization {} | User-Allocated {} | Collective {} | Total  "
      "{}\n",
      memory_text(used.library_bytes), memory_text(used.buffer_bytes),
      memory_text(used.collective_bytes),
      memory_text(used.library_bytes + used.buffer_bytes + used.collective_bytes));
}

}  // namespace

std::string short_bus_id(const std::string& bus_id) {
  if (bus_id.size() != 12 || bus_id[4] != ':' || bus_id[10] != '.') return bus_id;
  return to_lower(std::string_view(bus_id).substr(0, 10));
}

std::string table_header(const Setup& setup, bool reduced) {
  const Options& options = setup.options;
  const Sweep& sweep = options.sweep;
  const bool by_factor = sweep.step_factor > 1;
  // nccl-tests' first line with our own version: a parser that expects a version finds one, and
  // nobody mistakes these figures for those of NVIDIA's program.
  std::string text = fmt::format("# nccl-tests version {}-slipway nccl-headers=0 nccl-library={}\n",
                                 SLIPWAY_VERSION, setup.backend.version);
  text += fmt::format("# Collective test starting: {}\n", setup.collective->program());
  text += fmt::format(
      "# nThread {} nGpus {} minBytes {} maxBytes {} step: {}({}) warmup iters: {} iters: {} agg "
      "iters: {} validation: {} graph: {} unalign: {}\n",
      options.threads, options.gpus, sweep.min_bytes, sweep.max_bytes,
      by_factor ? sweep.step_factor : sweep.step_bytes, by_factor ? "factor" : "bytes",
      options.warmup_iterations, options.timing.iterations, options.timing.aggregated,
      options.timing.checks, options.timing.graph_launches, options.unaligned);
  text += notes(setup) + "#\n# Using devices\n";
  for (const RankInfo& rank : setup.all_ranks.empty() ? setup.ranks : setup.all_ranks) {
    text += fmt::format("#  Rank {:2} Group {:2} Pid {:6} on {:>10} device {:2} [{}] {}\n",
                        rank.rank, rank.group, rank.pid, rank.host, rank.device,
                        short_bus_id(rank.device_id), rank.device_name);
  }
  if (reduced)
    text += fmt::format("#\n# Reducing maxBytes to {} due to memory limitation\n", sweep.max_bytes);
  return text + "#\n" + column_titles(options);
}

std::string table_row(const Setup& setup, const Row& row, const std::string& now) {
  const Options& options = setup.options;
  std::string text =
      fmt::format("{:12}  {:12}  {:>8}  {:>6}  {:>6}{}{}", row.shape.size_bytes, row.shape.count,
                  row.of.datatype.name, row.of.reduction_name(), row.of.root_column(),
                  placement_text(row.out_of_place, options), placement_text(row.in_place, options));
  if (options.timestamps) text += fmt::format("{:>21}", now);
  return text + "\n";
}

// With several samples of one operation, the table shows their median, and the OSU benchmarks show
// the mean.
static std::string mean_lines(const Setup& setup, const std::vector<Row>& rows) {
  if (setup.options.timing.mode != Mode::isolated) return "";
  std::string lines;
  for (const Row& row : rows) {
    const auto& apart = row.out_of_place.samples_us;
    const auto& in_place = row.in_place.samples_us;
    if (apart.size() < 2 || in_place.size() < 2) continue;
    lines += fmt::format("# Mean time of {:>12} B : {:.2f} us out of place, {:.2f} us in place\n",
                         row.shape.size_bytes, describe(apart).mean, describe(in_place).mean);
  }
  return lines;
}

std::string table_footer(const Setup& setup, const std::vector<Row>& rows) {
  const int64_t wrong = wrong_runs(rows);
  const std::string_view least = !setup.least_average_gb_per_s        ? ""
                                 : reaches_least_average(setup, rows) ? "OK"
                                                                      : "FAILED";
  return fmt::format(
      "# Out of bounds values : {} {}\n"
      "# Avg bus bandwidth    : {:g} {}\n"
      "{}#\n"
      "# Collective test concluded: {}\n"
      "{}#\n",
      wrong, wrong == 0 ? "OK" : "FAILED", average_busbw_gb_per_s(rows), least,
      mean_lines(setup, rows), setup.collective->program(),
      setup.memory ? memory_line(*setup.memory) : "");
}

}  // namespace slipway::bandwidth
