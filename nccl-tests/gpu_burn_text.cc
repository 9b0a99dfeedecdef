// How a process sends what it burned: a line of JSON.
#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/json.h"
#include "nccl-tests/gpu_burn.h"

namespace slipway::bandwidth {
namespace {

constexpr int most_index = 1'000'000;
constexpr int64_t most_counted = int64_t{1} << 53;

nlohmann::json to_json(const BurnedGpu& gpu) {
  return {{"index", gpu.index},
          {"bus", gpu.bus},
          {"model", gpu.model},
          {"failed", gpu.failed},
          {"repetitions", gpu.repetitions},
          {"wrong_repetitions", gpu.wrong_repetitions},
          {"tflop_per_s", gpu.tflop_per_s},
          {"celsius", gpu.celsius ? nlohmann::json(*gpu.celsius) : nlohmann::json()},
          {"sm_mhz", gpu.sm_mhz ? nlohmann::json(*gpu.sm_mhz) : nlohmann::json()},
          {"throttled", gpu.throttled},
          {"ecc_corrected", gpu.ecc_corrected},
          {"ecc_uncorrected", gpu.ecc_uncorrected},
          {"lost", gpu.lost}};
}

uint64_t count_at(const JsonValue& gpu, const char* key) {
  return static_cast<uint64_t>(gpu.at(key).whole(0, most_counted));
}

std::optional<unsigned> reading_at(const JsonValue& gpu, const char* key) {
  const JsonValue value = gpu.at(key);
  if (value.is_null()) return std::nullopt;
  return static_cast<unsigned>(value.whole(0, most_index));
}

BurnedGpu burned_from(const JsonValue& gpu) {
  constexpr double most_tflop_per_s = 1e9;
  BurnedGpu made;
  made.index = static_cast<int>(gpu.at("index").whole(0, most_index));
  made.bus = gpu.at("bus").text();
  made.model = gpu.at("model").text();
  made.failed = gpu.at("failed").text();
  made.repetitions = gpu.at("repetitions").whole(0, most_counted);
  made.wrong_repetitions = gpu.at("wrong_repetitions").whole(0, made.repetitions);
  made.tflop_per_s = gpu.at("tflop_per_s").number(0, most_tflop_per_s);
  made.celsius = reading_at(gpu, "celsius");
  made.sm_mhz = reading_at(gpu, "sm_mhz");
  made.throttled = count_at(gpu, "throttled");
  made.ecc_corrected = count_at(gpu, "ecc_corrected");
  made.ecc_uncorrected = count_at(gpu, "ecc_uncorrected");
  made.lost = gpu.at("lost").text();
  return made;
}

}  // namespace

std::string to_text(const std::vector<BurnedGpu>& gpus) {
  nlohmann::json list = nlohmann::json::array();
  for (const BurnedGpu& gpu : gpus) list.push_back(to_json(gpu));
  return list.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::vector<BurnedGpu> parse_burned_gpus(const std::string& text) try {
  const auto body = parse_json(text);
  std::vector<BurnedGpu> gpus;
  for (const JsonValue& gpu : JsonValue(body).items()) gpus.push_back(burned_from(gpu));
  return gpus;
} catch (const Error& error) {
  throw error.within("a rank sent an invalid description of its GPUs");
}

}  // namespace slipway::bandwidth
