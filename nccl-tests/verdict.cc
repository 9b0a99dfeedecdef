// The verdict: did the run reach the bandwidth that this machine type is known to reach?
#include "nccl-tests/verdict.h"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "common/count.h"
#include "common/text.h"

namespace slipway::bandwidth {
namespace {

// A placement of a row that a figure judges.
struct Task {
  const Row* row;
  const char* name;
  const Placement* placement;
  const AppliedFigure* figure;
};

std::string kind_of(const Row& row) {
  return fmt::format("{} {} {}", row.of.datatype.name, row.of.reduction_name(),
                     row.of.root_column());
}

std::vector<Task> tasks_of(const std::vector<AppliedFigure>& figures,
                           const std::vector<Row>& rows) {
  std::vector<RunSize> sizes;
  std::vector<int64_t> from;
  // A number of ranks that does not divide the size shrinks it a little in the table.
  for (const Row& row : rows)
    sizes.push_back({kind_of(row), std::max(row.requested_bytes, row.shape.size_bytes)});
  for (const AppliedFigure& figure : figures) from.push_back(figure.from_bytes);
  const auto by = judged_by(sizes, from);
  std::vector<Task> tasks;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (!by[i]) continue;
    tasks.push_back({&rows[i], "out of place", &rows[i].out_of_place, &figures[*by[i]]});
    tasks.push_back({&rows[i], "in place", &rows[i].in_place, &figures[*by[i]]});
  }
  return tasks;
}

// Operations in one sample.
int operations_of(const Timing& timing) {
  return timing.mode == Mode::isolated ? 1 : timing.iterations * timing.aggregated;
}

// A single sample does not show its noise. The mean of nccl-tests' 20 operations is taken to be
// within assumed_run_deviation; of fewer, it is as much less certain as a mean is.
void doubt_single_sample(RunLevel& level, int operations) {
  constexpr int usual_operations = 20, freedom_of_guess = 30;
  if (level.freedom > 0 || operations >= usual_operations) return;
  level.error = assumed_run_deviation *
                std::sqrt(static_cast<double>(usual_operations) / std::max(operations, 1));
  level.freedom = freedom_of_guess;
}

FloorCheck check_placement(const Placement& placement, int operations, double floor,
                           size_t checks) {
  if (placement.busbw_gb_per_s <= 0) return {.floor_gb_per_s = floor, .reached = Reached::no};
  RunLevel level =
      bandwidth_level(run_level(placement.samples_us), placement.time.us, placement.busbw_gb_per_s);
  doubt_single_sample(level, operations);
  return check_floor(std::span(&level, 1), floor, checks);
}

Verdict judge_by_figures(const Setup& setup, const std::vector<AppliedFigure>& figures,
                         const std::vector<Row>& rows) {
  Verdict verdict;
  const std::vector<Task> tasks = tasks_of(figures, rows);
  for (const Task& task : tasks) {
    const AppliedFigure& figure = *task.figure;
    const FloorCheck check = check_placement(*task.placement, operations_of(setup.options.timing),
                                             figure.floor_gb_per_s(), tasks.size());
    verdict.judged.push_back({task.row->shape.size_bytes, task.name, check});
    const std::string because = figure.because.empty() ? "" : ", " + figure.because;
    verdict.reasons.push_back(reason_of(verdict.judged.back(), figure.figure.busbw_gb_per_s,
                                        figure.tolerance, figure.figure.source + because));
  }
  verdict.outcome = outcome_of(verdict.judged);
  if (verdict.outcome == Outcome::too_noisy) {
    verdict.reasons.push_back(
        "judge the reports of several runs together with `bandwidth_compare --figures`");
  }
  return verdict;
}

Verdict judge_by_control(const ControlledRun& run, const NodeProfile::BandwidthControl& asked) {
  const Interval ratio = run.ratio_interval.value_or(Interval{run.ratio, run.ratio});
  Outcome outcome = Outcome::too_noisy;
  if (ratio.low >= asked.least_ratio) outcome = Outcome::pass;
  if (ratio.high < asked.least_ratio) outcome = Outcome::fail;
  return {.outcome = outcome,
          .reasons = {fmt::format(
              "busbw {:.2f} GB/s at {} bytes is {:.2f} of what this machine moves over {}, {:.2f} "
              "GB/s ({:.2f} to {:.2f} with 95 % confidence); at least {:g} is expected",
              run.busbw_gb_per_s, run.size_bytes, run.ratio, asked.kind, run.control_gb_per_s,
              ratio.low, ratio.high, asked.least_ratio)},
          .judged = {}};
}

// NCCL's name for the network that it uses when no other works.
constexpr std::string_view socket_network = "NET/Socket";

// The data between nodes went over NVLink, which no expected figure is for. Those for one node are.
bool avoided_the_network(const Setup& setup) {
  return host_count(setup.ranks) > 1 && setup.backend.memory == "gpu" && !setup.transport.empty() &&
         setup.transport.find("NET/") == std::string::npos;
}

bool fell_back_to_sockets(const Setup& setup, const NodeProfile& profile) {
  return profile.transport.name != "socket" &&
         setup.transport.find(socket_network) != std::string::npos;
}

}  // namespace

Verdict judge(const Setup& setup, const std::vector<Row>& rows) {
  const auto not_judged = [](std::string reason) {
    return Verdict{Outcome::not_judged, {std::move(reason)}, {}};
  };
  const auto failed = [](std::string reason) {
    return Verdict{Outcome::fail, {std::move(reason)}, {}};
  };
  const std::optional<int64_t> wrong = wrong_elements(rows);
  if (wrong.value_or(0) != 0) {
    return failed(fmt::format("{} arrived wrong", counted(*wrong, "element")));
  }
  if (!reaches_least_average(setup, rows)) {
    return failed(
        fmt::format("the average busbw {:.2f} GB/s is below nine tenths of NCCL_TESTS_MIN_BW, {:g}",
                    average_busbw_gb_per_s(rows), *setup.least_average_gb_per_s));
  }
  if (setup.ranks.size() < 2) return not_judged("one rank alone moves no data to another");
  if (!wrong && setup.backend.name != "sim") return not_judged("the data was not checked");
  if (!setup.profile) return not_judged("no node profile on this node");

  const NodeProfile& profile = *setup.profile;
  const int nodes = host_count(setup.ranks);
  if (fell_back_to_sockets(setup, profile)) {
    return failed(
        fmt::format("the data went over {}: NCCL fell back to sockets, although this node is "
                    "configured for the transport {}",
                    setup.transport, profile.transport.name));
  }
  if (const auto& control = profile.bandwidth_control; control && !setup.control) {
    return not_judged(nodes < 2 ? "all ranks are on one node, which needs no network"
                                : fmt::format("sizes below {} bytes measure latency, not bandwidth",
                                              control->least_size_bytes));
  }
  if (setup.control) return judge_by_control(*setup.control, *profile.bandwidth_control);
  const RunFigures found = figures_of(setup);
  if (found.figures.empty()) return not_judged(found.why_none);
  if (setup.backend.memory == "host" && profile.gpus.count > 0) {
    return not_judged(
        fmt::format("the expected figure for {} on {} is for GPU memory, this run measured host "
                    "memory",
                    setup.collective->name, profile.machine_type));
  }
  if (avoided_the_network(setup)) {
    return not_judged(fmt::format(
        "the data went over {}, and the expected figure is for the network between nodes",
        setup.transport));
  }
  Verdict verdict = judge_by_figures(setup, found.figures, rows);
  if (verdict.outcome == Outcome::not_judged) {
    return not_judged(fmt::format("the expected figure holds from {} bytes on, which were not run",
                                  found.figures.front().from_bytes));
  }
  return verdict;
}

std::vector<NodeProfile::ExpectedBandwidth> expected_of(const Setup& setup) {
  std::vector<NodeProfile::ExpectedBandwidth> expected;
  for (const AppliedFigure& applied : figures_of(setup).figures) {
    expected.push_back(applied.figure);
    expected.back().size_bytes = applied.from_bytes;
    expected.back().tolerance = applied.tolerance;
  }
  return expected;
}

Outcome outcome_of(const std::vector<JudgedPlacement>& judged) {
  Outcome outcome = judged.empty() ? Outcome::not_judged : Outcome::pass;
  for (const JudgedPlacement& one : judged) {
    if (one.check.reached == Reached::no) return Outcome::fail;
    if (one.check.reached == Reached::unclear) outcome = Outcome::too_noisy;
  }
  return outcome;
}

std::optional<int> runs_needed(const std::vector<JudgedPlacement>& judged) {
  int most = 0;
  for (const JudgedPlacement& one : judged) {
    if (one.check.reached != Reached::unclear) continue;
    if (!one.check.runs_needed) return std::nullopt;
    most = std::max(most, *one.check.runs_needed);
  }
  return most > 0 ? std::optional(most) : std::nullopt;
}

std::string reason_of(const JudgedPlacement& judged, double expected_gb_per_s, double tolerance,
                      std::string_view source) {
  return fmt::format("busbw {:.2f} GB/s {} at {} bytes {} (expected {:g} less {:g} %, {})",
                     judged.check.busbw_gb_per_s, judged.placement, judged.size_bytes,
                     to_string(judged.check), expected_gb_per_s, tolerance * 100, source);
}

std::string_view to_string(Outcome outcome) {
  switch (outcome) {
    case Outcome::pass:
      return "pass";
    case Outcome::fail:
      return "fail";
    case Outcome::too_noisy:
      return "too noisy to say";
    case Outcome::not_judged:
      return "not judged";
  }
  return "";
}

std::string verdict_line(const Verdict& verdict) {
  return fmt::format("# Verdict: {} ({})\n", to_string(verdict.outcome),
                     join(verdict.reasons, "; "));
}

}  // namespace slipway::bandwidth
