// Writes the report: the result as JSON, schema `slipway/bandwidth/1`.
#include "nccl-tests/report.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/fd.h"
#include "common/file.h"

namespace slipway::bandwidth {
namespace {

using nlohmann::ordered_json;

// If there are more samples, the report has only their statistics.
constexpr size_t most_samples_listed = 1000;

template <class T>
ordered_json or_null(const std::optional<T>& value) {
  return value ? ordered_json(*value) : ordered_json();
}

ordered_json statistics_json(const std::vector<double>& samples_us) {
  const Statistics found = describe(samples_us);
  return {{"samples", found.count},
          {"least_us", found.least},
          {"median_us", found.median},
          {"most_us", found.most},
          {"mean_us", found.mean},
          {"mad_us", found.mad},
          {"median_low_us", found.interval ? ordered_json(found.interval->low) : ordered_json()},
          {"median_high_us", found.interval ? ordered_json(found.interval->high) : ordered_json()},
          {"p95_us", or_null(found.p95)},
          {"p99_us", or_null(found.p99)},
          {"outliers", found.outliers},
          {"drift", found.drift}};
}

ordered_json placement_json(const Placement& placement) {
  ordered_json samples;  // null: too many to list
  if (placement.samples_us.size() <= most_samples_listed) samples = placement.samples_us;
  return {{"time_us", placement.time.us},
          {"time_us_fastest_rank", placement.time.min_us},
          {"time_us_slowest_rank", placement.time.max_us},
          {"algbw_gb_per_s", placement.algbw_gb_per_s},
          {"busbw_gb_per_s", placement.busbw_gb_per_s},
          {"wrong", or_null(placement.wrong)},
          {"statistics", statistics_json(placement.samples_us)},
          {"budget_spent", placement.budget_spent},
          {"samples_us", std::move(samples)}};
}

ordered_json row_json(const Row& row) {
  return {
      {"requested_bytes", row.requested_bytes},
      {"size_bytes", row.shape.size_bytes},
      {"send_bytes_per_rank", row.shape.send_bytes},
      {"receive_bytes_per_rank", row.shape.receive_bytes},
      {"count", row.shape.count},
      {"datatype", row.of.datatype.name},
      {"reduction", row.of.reduction ? ordered_json(to_string(*row.of.reduction)) : ordered_json()},
      {"root", or_null(row.of.root)},
      {"out_of_place", placement_json(row.out_of_place)},
      {"in_place", placement_json(row.in_place)}};
}

ordered_json settings_json(const Options& options) {
  ordered_json datatypes = ordered_json::array();
  for (const Datatype& type : options.datatypes) datatypes.push_back(type.name);
  const Sweep& sweep = options.sweep;
  const bool by_factor = sweep.step_factor > 1;
  return {{"min_bytes", sweep.min_bytes},
          {"max_bytes", sweep.max_bytes},
          {"step_factor", by_factor ? ordered_json(sweep.step_factor) : ordered_json()},
          {"step_bytes", by_factor ? ordered_json() : ordered_json(sweep.step_bytes)},
          {"datatypes", std::move(datatypes)},
          {"timing", to_string(options.timing.mode)},
          {"average", to_string(options.timing.average)},
          {"iterations", options.timing.mode == Mode::isolated ? 1 : options.timing.iterations},
          {"operations_per_iteration", options.timing.aggregated},
          {"precision",
           options.timing.precision > 0 ? ordered_json(options.timing.precision) : ordered_json()},
          {"warmup_iterations", options.warmup_iterations},
          {"check_iterations", options.timing.checks}};
}

ordered_json profile_json(const std::optional<NodeProfile>& profile) {
  if (!profile) return nullptr;
  return {{"deployment", profile->deployment},
          {"cluster", profile->cluster},
          {"target", profile->target},
          {"machine_type", profile->machine_type},
          {"transport", profile->transport.name}};
}

ordered_json expected_json(const Setup& setup) {
  ordered_json list = ordered_json::array();
  for (const AppliedFigure& applied : figures_of(setup).figures) {
    const NodeProfile::ExpectedBandwidth& figure = applied.figure;
    list.push_back(
        {{"size_bytes", applied.from_bytes},
         {"busbw_gb_per_s", figure.busbw_gb_per_s},
         {"tolerance", applied.tolerance},
         {"floor_gb_per_s", applied.floor_gb_per_s()},
         {"nodes", figure.nodes},
         {"ranks_per_node",
          figure.ranks_per_node > 0 ? ordered_json(figure.ranks_per_node) : ordered_json()},
         {"because", applied.because.empty() ? ordered_json() : ordered_json(applied.because)},
         {"source", figure.source}});
  }
  return list;
}

ordered_json judged_json(const JudgedPlacement& judged) {
  const FloorCheck& check = judged.check;
  ordered_json reached;  // null: too noisy to say
  if (check.reached != Reached::unclear) reached = check.reached == Reached::yes;
  return {{"size_bytes", judged.size_bytes},        {"placement", judged.placement},
          {"busbw_gb_per_s", check.busbw_gb_per_s}, {"low_gb_per_s", check.low_gb_per_s},
          {"high_gb_per_s", check.high_gb_per_s},   {"floor_gb_per_s", check.floor_gb_per_s},
          {"reached", std::move(reached)},          {"runs_needed", or_null(check.runs_needed)}};
}

ordered_json verdict_json(const Verdict& verdict) {
  ordered_json judged = ordered_json::array();
  for (const JudgedPlacement& one : verdict.judged) judged.push_back(judged_json(one));
  return {{"outcome", to_string(verdict.outcome)},
          {"reasons", verdict.reasons},
          {"runs_needed", or_null(runs_needed(verdict.judged))},
          {"judged", std::move(judged)}};
}

ordered_json control_json(const Setup& setup) {
  if (!setup.control) return nullptr;
  const ControlledRun& run = *setup.control;
  const NodeProfile::BandwidthControl& asked = *setup.profile->bandwidth_control;
  return {
      {"kind", asked.kind},
      {"size_bytes", run.size_bytes},
      {"rounds", run.rounds},
      {"busbw_gb_per_s", run.busbw_gb_per_s},
      {"control_gb_per_s", run.control_gb_per_s},
      {"ratio", run.ratio},
      {"ratio_low", run.ratio_interval ? ordered_json(run.ratio_interval->low) : ordered_json()},
      {"ratio_high", run.ratio_interval ? ordered_json(run.ratio_interval->high) : ordered_json()},
      {"least_ratio", asked.least_ratio},
      {"source", asked.source}};
}

ordered_json ranks_json(const std::vector<RankInfo>& ranks) {
  ordered_json list = ordered_json::array();
  for (const RankInfo& rank : ranks) {
    list.push_back({{"rank", rank.rank},
                    {"host", rank.host},
                    {"pid", rank.pid},
                    {"device", rank.device},
                    {"device_id", rank.device_id},
                    {"device_name", rank.device_name}});
  }
  return list;
}

}  // namespace

std::string to_json(const Setup& setup, const std::vector<Row>& rows, const Verdict& verdict,
                    std::string_view finished_utc) {
  ordered_json results = ordered_json::array();
  for (const Row& row : rows) results.push_back(row_json(row));
  const std::optional<int64_t> wrong = wrong_elements(rows);

  const ordered_json j = {
      {"schema", report_schema},
      {"program", setup.collective->program()},
      {"version", SLIPWAY_VERSION},
      {"started_utc", setup.started_utc},
      {"finished_utc", finished_utc},
      {"collective", setup.collective->name},
      {"backend", setup.backend.name},
      {"memory", setup.backend.memory},
      {"library", setup.backend.library},
      {"transport", setup.transport.empty() ? ordered_json() : ordered_json(setup.transport)},
      {"node_count", host_count(setup.ranks)},
      {"rank_count", setup.ranks.size()},
      {"ranks", ranks_json(setup.ranks)},
      {"node_profile", profile_json(setup.profile)},
      {"expected", expected_json(setup)},
      {"control", control_json(setup)},
      {"settings", settings_json(setup.options)},
      {"software", setup.software},
      {"environment", setup.environment},
      {"results", std::move(results)},
      {"wrong_elements", or_null(wrong)},
      {"average_busbw_gb_per_s", average_busbw_gb_per_s(rows)},
      {"verdict", verdict_json(verdict)},
  };
  // Host names and variables may contain any bytes: invalid UTF-8 becomes U+FFFD.
  return j.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

void require_writable(const std::filesystem::path& path) {
  require_replaceable(path);
  std::string temporary = path.string() + ".XXXXXX";
  const Fd file(::mkostemp(temporary.data(), O_CLOEXEC));
  if (!file) throw_errno(fmt::format("cannot write {}", path.string()));
  ::unlink(temporary.c_str());
}

}  // namespace slipway::bandwidth
