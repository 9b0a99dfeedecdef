// The verdict: did the run reach the bandwidth that this machine type is known to reach?
#include "nccl-tests/verdict.h"

#include <fmt/core.h>

#include "common/count.h"
#include "common/text.h"

namespace slipway::bandwidth {
namespace {

using Expected = NodeProfile::ExpectedBandwidth;

std::string place(const NodeProfile& profile, int nodes) {
  return fmt::format("{} of {}{}", counted(nodes, "node"), profile.machine_type,
                     profile.target == "local" ? " in a local cluster" : "");
}

// A figure without a transport applies to any.
std::vector<Expected> matching(const NodeProfile& profile, std::string_view collective, int nodes) {
  std::vector<Expected> found;
  for (const Expected& expected : profile.expected_bandwidth) {
    const bool same_transport =
        expected.transport.empty() || expected.transport == profile.transport.name;
    if (expected.collective == collective && expected.nodes == nodes && same_transport) {
      found.push_back(expected);
    }
  }
  return found;
}

// Compares the rows of one size with its expected figure, and adds the result to `verdict`.
void judge_at(const Expected& expected, const std::vector<Row>& rows, Verdict& verdict) {
  const double floor = expected.busbw_gb_per_s * (1 - expected.tolerance);
  for (const Row& row : rows) {
    // A number of ranks that does not divide the size shrinks it a little in the table.
    if (row.requested_bytes != expected.size_bytes && row.shape.size_bytes != expected.size_bytes) {
      continue;
    }
    if (verdict.outcome == Outcome::not_judged) verdict.outcome = Outcome::pass;
    for (const auto& [name, placement] :
         {std::pair("out of place", &row.out_of_place), std::pair("in place", &row.in_place)}) {
      const bool reached = placement->busbw_gb_per_s >= floor;
      if (!reached) verdict.outcome = Outcome::fail;
      verdict.reasons.push_back(fmt::format(
          "busbw {:.2f} GB/s {} at {} bytes {} {:.2f} (expected {:g} less {:g} %, {})",
          placement->busbw_gb_per_s, name, expected.size_bytes, reached ? "reaches" : "is below",
          floor, expected.busbw_gb_per_s, expected.tolerance * 100, expected.source));
    }
  }
}

Verdict judge_by_control(const ControlledRun& run, const NodeProfile::BandwidthControl& asked) {
  const bool reached = run.ratio >= asked.least_ratio;
  return {reached ? Outcome::pass : Outcome::fail,
          {fmt::format("busbw {:.2f} GB/s at {} bytes is {:.2f} of what this machine moves over "
                       "{}, {:.2f} GB/s; at least {:g} is expected",
                       run.busbw_gb_per_s, run.size_bytes, run.ratio, asked.kind,
                       run.control_gb_per_s, asked.least_ratio)}};
}

// NCCL's name for the network that it uses when no other works.
constexpr std::string_view socket_network = "NET/Socket";

bool fell_back_to_sockets(const Setup& setup, const NodeProfile& profile) {
  return profile.transport.name != "socket" &&
         setup.transport.find(socket_network) != std::string::npos;
}

}  // namespace

Verdict judge(const Setup& setup, const std::vector<Row>& rows) {
  const auto not_judged = [](std::string reason) {
    return Verdict{Outcome::not_judged, {std::move(reason)}};
  };
  const std::optional<int64_t> wrong = wrong_elements(rows);
  if (wrong.value_or(0) != 0) {
    return {Outcome::fail, {fmt::format("{} arrived wrong", counted(*wrong, "element"))}};
  }
  if (!reaches_least_average(setup, rows)) {
    return {Outcome::fail,
            {fmt::format(
                "the average busbw {:.2f} GB/s is below nine tenths of NCCL_TESTS_MIN_BW, {:g}",
                average_busbw_gb_per_s(rows), *setup.least_average_gb_per_s)}};
  }
  if (setup.ranks.size() < 2) return not_judged("one rank alone moves no data to another");
  if (!wrong && setup.backend.name != "sim") return not_judged("the data was not checked");
  if (!setup.profile) return not_judged("no node profile on this node");

  const NodeProfile& profile = *setup.profile;
  const int nodes = host_count(setup.ranks);
  if (fell_back_to_sockets(setup, profile)) {
    return {Outcome::fail,
            {fmt::format("the data went over {}: NCCL fell back to sockets, although this node is "
                         "configured for the transport {}",
                         setup.transport, profile.transport.name)}};
  }
  if (const auto& control = profile.bandwidth_control; control && !setup.control) {
    return not_judged(nodes < 2 ? "all ranks are on one node, which needs no network"
                                : fmt::format("sizes below {} bytes measure latency, not bandwidth",
                                              control->least_size_bytes));
  }
  if (setup.control) return judge_by_control(*setup.control, *profile.bandwidth_control);
  const std::vector<Expected> figures = expected_of(setup);
  if (figures.empty()) {
    return not_judged(fmt::format("no expected figure for {} on {}", setup.collective->name,
                                  place(profile, nodes)));
  }
  if (setup.backend.memory == "host" && profile.gpus.count > 0) {
    return not_judged(
        fmt::format("the expected figure for {} is for GPU memory, this run measured "
                    "host memory",
                    place(profile, nodes)));
  }
  Verdict verdict;
  for (const Expected& expected : figures) judge_at(expected, rows, verdict);
  if (verdict.outcome == Outcome::not_judged) {
    return not_judged(fmt::format("the expected figure is for {} bytes, a size that was not run",
                                  figures.front().size_bytes));
  }
  return verdict;
}

std::vector<Expected> expected_of(const Setup& setup) {
  if (!setup.profile) return {};
  return matching(*setup.profile, setup.collective->name, host_count(setup.ranks));
}

std::string_view to_string(Outcome outcome) {
  switch (outcome) {
    case Outcome::pass:
      return "pass";
    case Outcome::fail:
      return "fail";
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
