// What a process measures for the levels below pairs.
#include "nccl-tests/scan_level_tasks.h"

#include <algorithm>
#include <cstring>

#include <fmt/core.h>

#include "common/error.h"
#include "common/interfaces.h"
#include "common/median.h"
#include "common/text.h"
#include "launcher/health/cuda.h"
#include "nccl-tests/collective.h"
#include "nccl-tests/loopback_control.h"
#include "nccl-tests/sim_backend.h"
#include "nccl-tests/socket.h"
#include "nccl-tests/tcp_backend.h"

namespace slipway::bandwidth {
namespace {

constexpr int level_rounds = 9;
// Larger than the caches, so that memory is measured.
constexpr size_t copied_bytes = size_t{64} << 20;

// The median of several repetitions that `seconds_of_one` times.
template <class Once>
double median_speed(double bytes, Once seconds_of_one) {
  std::vector<double> speeds;
  for (int i = 0; i < level_rounds; ++i)
    speeds.push_back(bytes / 1e9 / std::max(seconds_of_one(), 1e-9));
  return median(speeds);
}

NodeLevel level_of_loopback(const PairTest& test) {
  Launch alone{.rank = 0, .size = 1, .host = "127.0.0.1", .ports = {0}};
  const std::unique_ptr<Backend> backend = make_tcp_backend(alone);
  const Buffers buffers(*backend, test.bytes, test.bytes);
  Loopback loopback;
  const double speed = median_speed(static_cast<double>(test.bytes),
                                    [&] { return loopback.move(buffers, test.bytes); });
  return {.part = "loopback", .does = "carries", .gb_per_s = speed};
}

NodeLevel level_of_memory() {
  std::vector<char> from(copied_bytes, 1), to(copied_bytes, 2);
  const double speed = median_speed(static_cast<double>(copied_bytes), [&] {
    const double begin = now_seconds();
    std::memcpy(to.data(), from.data(), copied_bytes);
    return now_seconds() - begin;
  });
  return {.part = "host memory", .does = "copies", .gb_per_s = speed};
}

// The deep checks' own measurements.
health::CudaResult measure_gpus() {
  try {
    return health::run_cuda([](const std::string&) {});
  } catch (const Error& error) {
    return {.missing = "", .gpus = {{.index = 0, .failed = error.what()}}};
  }
}

void add_gpus(std::vector<NodeLevel>& levels) {
  const health::CudaResult cuda = measure_gpus();
  if (!cuda.missing.empty()) {
    levels.push_back({.part = "GPUs",
                      .does = "",
                      .gb_per_s = {},
                      .why = "no GPU: " + cuda.missing,
                      .was_asked = false});
  }
  for (const health::CudaGpu& gpu : cuda.gpus) {
    const std::string part = fmt::format("GPU {}", gpu.index);
    if (!gpu.failed.empty() || !gpu.right) {
      levels.push_back({.part = part,
                        .does = "computes",
                        .gb_per_s = {},
                        .why = gpu.failed.empty() ? "it computed a wrong result" : gpu.failed});
      continue;
    }
    if (!gpu.wrong_copy.empty()) {
      levels.push_back({.part = part,
                        .does = "copies",
                        .gb_per_s = {},
                        .why = "copies with wrong data: " + gpu.wrong_copy});
    }
    levels.push_back({.part = part, .does = "copies in its memory", .gb_per_s = gpu.copy_gb_per_s});
    levels.push_back(
        {.part = part, .does = "receives from the host", .gb_per_s = gpu.host_gb_per_s});
    levels.push_back({.part = part, .does = "sends to the host", .gb_per_s = gpu.to_host_gb_per_s});
  }
}

double busbw_of(const Case& which, Backend& ranks, const PairTest& test) {
  const Shape shape = which.collective->shape(test.bytes, which.datatype.bytes, ranks.size());
  const Buffers buffers(ranks, shape.send_bytes, shape.receive_bytes);
  const Row row = measure(ranks, which, test.bytes, buffers, test.timing);
  if (row.out_of_place.wrong.value_or(0) != 0) throw Error("data arrived wrong");
  return row.out_of_place.busbw_gb_per_s;
}

}  // namespace

double measure_one_way(Backend& pair, const PairTest& test, int from) {
  const Collective& broadcast = collective_of(Kind::broadcast);
  return busbw_of({&broadcast, parse_datatypes("float").front(), std::nullopt, from}, pair, test);
}

double measure_together(Backend& ranks, const PairTest& test) {
  const Collective& all_reduce = collective_of(Kind::all_reduce);
  return busbw_of({&all_reduce, parse_datatypes("float").front(), Reduction::sum, std::nullopt},
                  ranks, test);
}

ExamineNode levels_on_sim(const SimWorld& world, PairTest test) {
  return [&world, test](int node, int partner) {
    std::vector<NodeLevel> levels;
    for (const bool sends : {true, false}) {
      // Streams of pairs are smaller.
      const uint64_t stream =
          (uint64_t{1} << 62) + 2 * static_cast<uint64_t>(node) + (sends ? 1 : 0);
      const auto pair = make_sim_backend(world, {node, partner}, stream);
      levels.push_back(
          {.node = node,
           .part = "network",
           .does = sends ? "sends" : "receives",
           .gb_per_s = measure_one_way(*pair, test, sends ? 0 : world.ranks_per_node)});
    }
    return levels;
  };
}

std::vector<NodeLevel> measure_inside(const PairTest& test) {
  std::vector<NodeLevel> levels = {level_of_loopback(test), level_of_memory()};
  add_gpus(levels);
  return levels;
}

std::string interfaces_of_this_node() {
  std::vector<std::string> found;
  for (const Ipv4Interface& one : ipv4_interfaces()) {
    if (one.up && !one.loopback) found.push_back(fmt::format("{}={}", one.name, one.address));
  }
  return join(found, ",");
}

}  // namespace slipway::bandwidth
