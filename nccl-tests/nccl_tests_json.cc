// Writes the result in the JSON layout of nccl-tests.
#include "nccl-tests/nccl_tests_json.h"

#include <nlohmann/json.hpp>

#include <fmt/core.h>

#include "nccl-tests/statistics.h"
#include "nccl-tests/table.h"

namespace slipway::bandwidth {
namespace {

using Json = nlohmann::ordered_json;

constexpr int layout_version = 3;

// Its booleans are the texts "true" and "false".
std::string truth(bool value) {
  return value ? "true" : "false";
}

Json devices(const Setup& setup) {
  Json list = Json::array();
  for (const RankInfo& rank : setup.all_ranks) {
    list.push_back({{"rank", rank.rank},
                    {"group", rank.group},
                    {"pid", rank.pid},
                    {"hostname", rank.host},
                    {"device", rank.device},
                    {"device_hex", short_bus_id(rank.device_id)},
                    {"device_info", rank.device_name}});
  }
  return list;
}

Json config(const Setup& setup) {
  const Options& options = setup.options;
  Json result = {{"nthreads", options.threads},
                 {"ngpus", options.gpus},
                 {"minimum_bytes", options.sweep.min_bytes},
                 {"maximum_bytes", options.sweep.max_bytes}};
  if (options.sweep.step_factor > 1)
    result["step_factor"] = options.sweep.step_factor;
  else
    result["step_bytes"] = options.sweep.step_bytes;
  result["warmup_iters"] = options.warmup_iterations;
  result["iterations"] = options.timing.iterations;
  result["aggregated_iterations"] = options.timing.aggregated;
  result["validation"] = options.timing.checks;
  result["graph"] = options.timing.graph_launches;
  result["blocking_collectives"] = truth(options.timing.blocking != Blocking::none);
  result["per_iter_timing"] = truth(options.timing.each_iteration);
  result["per_iter_skip"] = options.timing.skipped;
  result["parallel_init"] = truth(false);
  result["devices"] = devices(setup);
  return result;
}

Json placement(const Setup& setup, const Placement& measured) {
  const bool issue = setup.options.report_issue_time;
  return {{issue ? "cpu_time" : "time", issue ? measured.issue_us : measured.time.us},
          {"alg_bw", measured.algbw_gb_per_s},
          {"bus_bw", measured.busbw_gb_per_s},
          {"nwrong", measured.wrong ? Json(static_cast<double>(*measured.wrong)) : Json(nullptr)}};
}

// Single iterations (-I 1): their times also have those that the statistics leave out.
Json iterations(const Setup& setup, const Placement& measured) {
  const Timing& timing = setup.options.timing;
  const IterationTimes times = iteration_times(counted_iterations(measured.iterations_us, timing));
  Json found = {{"skipped_iterations", timing.skipped},
                {"min_us", times.least_us},
                {"max_us", times.most_us},
                {"avg_us", times.mean_us},
                {"p50_us", times.p50_us},
                {"p95_us", times.p95_us},
                {"p99_us", times.p99_us},
                {"stdev_us", times.deviation_us},
                {"cv_pct", times.deviation_percent()},
                {"times_us", measured.iterations_us}};
  if (measured.ranks_iterations_us.size() > 1)  // every rank is a process
    found["per_process_max_times_us"] = measured.ranks_iterations_us;
  return found;
}

Json result(const Setup& setup, const Row& row) {
  Json line = {{"size", row.shape.size_bytes},
               {"count", row.shape.count},
               {"type", row.of.datatype.name},
               {"redop", row.of.reduction_name()},
               {"root", fmt::format("{:6}", row.of.root_column())},
               {"out_of_place", placement(setup, row.out_of_place)}};
  const bool each = setup.options.timing.each_iteration;
  if (each) line["out_of_place_per_iter"] = iterations(setup, row.out_of_place);
  line["in_place"] = placement(setup, row.in_place);
  if (each) line["in_place_per_iter"] = iterations(setup, row.in_place);
  line["actual_iterations"] = setup.options.timing.iterations;
  line["experiment_name"] = "";
  return line;
}

Json results(const Setup& setup, const std::vector<Row>& rows) {
  Json list = Json::array();
  for (const Row& row : rows) list.push_back(result(setup, row));
  return list;
}

Json arguments(const Setup& setup) {
  Json list = Json::array({setup.collective->program()});
  for (const std::string& one : setup.options.arguments) list.push_back(one);
  return list;
}

}  // namespace

std::string to_nccl_tests_json(const Setup& setup, const std::vector<Row>& rows,
                               std::string_view finished_utc) {
  Json environment = Json::array();
  for (const auto& [name, value] : setup.environment) environment.push_back(name + "=" + value);
  const int64_t wrong = wrong_runs(rows);
  Json file = {{"version", layout_version},
               {"start_time", setup.started_utc},
               {"args", arguments(setup)},
               {"env", environment},
               {"nccl_version", setup.backend.version},
               {"config", config(setup)},
               {"results", results(setup, rows)},
               {"out_of_bounds", {{"count", wrong}, {"okay", truth(wrong == 0)}}}};
  file["average_bus_bandwidth"] = {
      {"bandwidth", average_busbw_gb_per_s(rows)},
      {"okay", setup.least_average_gb_per_s ? truth(reaches_least_average(setup, rows))
                                            : std::string("unchecked")}};
  file["errors"] = Json::array();
  file["end_time"] = finished_utc;
  return file.dump(1) + "\n";
}

std::filesystem::path free_name(const std::filesystem::path& path) {
  std::filesystem::path name = path;
  for (int i = 0; std::filesystem::exists(name); ++i) name = fmt::format("{}.{}", path.string(), i);
  return name;
}

}  // namespace slipway::bandwidth
