// The text table, to the byte that of nccl-tests 2.19, so that every parser of it works here too.
#include "nccl-tests/table.h"

#include <fmt/format.h>

namespace slipway::bandwidth {
namespace {

constexpr int time_width = 7;
constexpr int bandwidth_width = 6;

std::string placement_text(const Placement& placement) {
  // nccl-tests prints the count as a float; its N/A is one column short.
  const std::string wrong = placement.wrong
                                ? fmt::format("  {:6g}", static_cast<double>(*placement.wrong))
                                : std::string("    N/A");
  return fmt::format("  {}  {}  {}{}", fit(placement.time.mean_us, time_width),
                     fit(placement.algbw_gb_per_s, bandwidth_width),
                     fit(placement.busbw_gb_per_s, bandwidth_width), wrong);
}

std::string column_titles() {
  std::string text = fmt::format("# {:>10}  {:>12}  {:>8}  {:>6}  {:>6}", "", "", "", "", "");
  text += "           out-of-place                       in-place          \n";
  text += fmt::format("# {:>10}  {:>12}  {:>8}  {:>6}  {:>6}", "size", "count", "type", "redop",
                      "root");
  for (int i = 0; i < 2; ++i) {
    text += fmt::format("  {:>7}  {:>6}  {:>6}  {:>6}", "time", "algbw", "busbw", "#wrong");
  }
  text += " \n";
  text += fmt::format("# {:>10}  {:>12}  {:>8}  {:>6}  {:>6}", "(B)", "(elements)", "", "", "");
  for (int i = 0; i < 2; ++i) {
    text += fmt::format("  {:>7}  {:>6}  {:>6}  {:>6}", "(us)", "(GB/s)", "(GB/s)", "");
  }
  return text + " \n";
}

}  // namespace

std::string fit(double value, int width) {
  for (const int decimals : {2, 1, 0}) {
    std::string text = fmt::format("{:{}.{}f}", value, width, decimals);
    if (text.size() <= static_cast<size_t>(width)) return text;
  }
  return fmt::format("{:{}.{}e}", value, width, width >= 7 ? 1 : 0);
}

std::string table_header(const Setup& setup) {
  const Options& options = setup.options;
  const Sweep& sweep = options.sweep;
  const bool by_factor = sweep.step_factor > 1;
  // The words of nccl-tests' first line with our own version, and no NCCL: a parser that looks for
  // a version finds one, and nobody takes these figures for NVIDIA's program's.
  std::string text = fmt::format("# nccl-tests version {}-slipway nccl-headers=0 nccl-library=0\n",
                                 SLIPWAY_VERSION);
  text += fmt::format("# Collective test starting: {}\n", setup.program);
  text += fmt::format(
      "# nThread 1 nGpus 1 minBytes {} maxBytes {} step: {}({}) warmup iters: {} iters: {} agg "
      "iters: 1 validation: {} graph: 0 unalign: 0\n",
      sweep.min_bytes, sweep.max_bytes, by_factor ? sweep.step_factor : sweep.step_bytes,
      by_factor ? "factor" : "bytes", options.warmup_iterations, options.iterations,
      options.check_iterations);
  text += "#\n# Using devices\n";
  for (const RankInfo& rank : setup.ranks) {
    text += fmt::format("#  Rank {:2} Group  0 Pid {:6} on {:>10} device {:2} [{}] {}\n", rank.rank,
                        rank.pid, rank.host, rank.device, rank.device_id, rank.device_name);
  }
  return text + "#\n" + column_titles();
}

std::string table_row(const Setup& setup, const Row& row) {
  return fmt::format("{:12}  {:12}  {:>8}  {:>6}  {:>6}{}{}\n", row.shape.size_bytes,
                     row.shape.count, row.datatype.name, setup.reduction, setup.root,
                     placement_text(row.out_of_place), placement_text(row.in_place));
}

std::string table_footer(const Setup& setup, const std::vector<Row>& rows) {
  const int64_t wrong = wrong_runs(rows);
  return fmt::format(
      "# Out of bounds values : {} {}\n"
      "# Avg bus bandwidth    : {:g} \n"
      "#\n"
      "# Collective test concluded: {}\n"
      "#\n",
      wrong, wrong == 0 ? "OK" : "FAILED", average_busbw_gb_per_s(rows), setup.program);
}

}  // namespace slipway::bandwidth
