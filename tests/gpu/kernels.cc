// The kernels that check data, on the first GPU of this machine: whether they find harmed elements,
// and how fast they are. Prints a line of JSON for each kind of data.
//
//   gpu_kernels [SIZE]   with buffers of this size, 1G by default
//   gpu_kernels --ptx check|burn|health    prints these kernels instead: those that check data, of
//   a
//                        burn, or of the node's health
//   gpu_kernels --burn SECONDS    burns all GPUs, and prints a line of JSON for each
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "common/error.h"
#include "launcher/health/cuda.h"
#include "nccl-tests/burn_kernels.h"
#include "nccl-tests/check_kernels.h"
#include "nccl-tests/gpu_burn.h"
#include "nccl-tests/gpu_patterns.h"
#include "nccl-tests/number_tables.h"
#include "nccl-tests/sizes.h"

using namespace slipway;
using namespace slipway::bandwidth;

namespace {

constexpr int harmed_elements = 100;

struct Gpu {
  std::shared_ptr<const CudaLibrary> cuda = load_cuda();
  CudaStream stream = nullptr;

  Gpu() {
    cuda->check(cuda->cudaSetDevice(0), "cudaSetDevice");
    cuda->check(cuda->cudaStreamCreateWithFlags(&stream, cuda_non_blocking_stream),
                "cudaStreamCreate");
  }
  void wait() const { cuda->check(cuda->cudaStreamSynchronize(stream), "cudaStreamSynchronize"); }
  void copy(void* to, const void* from, size_t bytes) const {
    cuda->check(cuda->cudaMemcpyAsync(to, from, bytes, cuda_copy_in_any_direction, stream),
                "cudaMemcpyAsync");
    wait();
  }
};

struct Times {
  double seconds = 0;
  double cpu_seconds = 0;  // of this process
};

Times time_of(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  const std::clock_t cpu = std::clock();
  work();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  return {took.count(), static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC};
}

// Inverts one element after another, far apart; all are different ones.
void harm(const Gpu& gpu, std::span<std::byte> buffer, int64_t element_bytes) {
  const auto width = static_cast<size_t>(element_bytes);
  const size_t elements = buffer.size() / width;
  for (size_t i = 0; i < harmed_elements; ++i) {
    std::byte* const at = buffer.data() + i * (elements / harmed_elements) * width;
    std::byte element[8];
    gpu.copy(element, at, width);
    for (size_t b = 0; b < width; ++b) element[b] = ~element[b];
    gpu.copy(at, element, width);
  }
}

// True if the kernels are right.
bool measure(const Gpu& gpu, Patterns& patterns, std::span<std::byte> buffer,
             const std::string& name, const std::function<Pattern()>& make) {
  // What the host prepares: a table of results takes longer the more ranks there are.
  Pattern pattern;
  const Times made = time_of([&] { pattern = make(); });
  patterns.fill(buffer, pattern);  // the first launch of a kernel takes longer
  gpu.wait();
  const Times fill = time_of([&] {
    patterns.fill(buffer, pattern);
    gpu.wait();
  });
  int64_t wrong = 0;
  const Times check = time_of([&] {
    patterns.check(buffer, pattern);
    wrong = patterns.take_wrong();
  });
  harm(gpu, buffer, pattern.element_bytes);
  patterns.check(buffer, pattern);
  const int64_t found = patterns.take_wrong();
  const bool right = wrong == 0 && found == harmed_elements;
  const auto gib = static_cast<double>(buffer.size()) / (1 << 30);
  fmt::print(
      R"({{"data": "{}", "right": {}, "wrong_before": {}, "harmed": {}, "found": {}, )"
      R"("fill_gib_per_s": {:.4g}, "check_gib_per_s": {:.4g}, "check_cpu_s_per_gib": {:.4g}}})"
      "\n",
      name, right, wrong, harmed_elements, found, gib / fill.seconds, gib / check.seconds,
      (made.cpu_seconds + check.cpu_seconds) / gib);
  return right;
}

int run(size_t bytes) {
  const Gpu gpu;
  void* memory = nullptr;
  gpu.cuda->check(gpu.cuda->cudaMalloc(&memory, bytes + 64), "cudaMalloc");
  GpuPatterns patterns(gpu.cuda, gpu.stream, [&] { gpu.wait(); });
  const std::span<std::byte> buffer(static_cast<std::byte*>(memory), bytes);
  bool right = true;
  const Pattern words{
      .element_bytes = 4,
      .of = WordPattern{
          .seed = 7, .stream = 3, .step = 5, .block_bytes = static_cast<int64_t>(bytes / 8)}};
  right = measure(gpu, patterns, buffer, "moved", [&] { return words; }) && right;
  // As with --unalign.
  right = measure(gpu, patterns, {buffer.data() + 4, bytes}, "moved, unaligned",
                  [&] { return words; }) &&
          right;
  for (const Datatype& type : all_datatypes()) {
    for (const Reduction reduction : {Reduction::sum, Reduction::avg}) {
      const Numbers numbers{.type = type, .reduction = reduction, .seed = 7, .ranks = 8};
      const std::string name =
          fmt::format("{} of {} over 8 ranks", to_string(reduction), type.name);
      right =
          measure(gpu, patterns, buffer, name, [&] { return expected_numbers(numbers); }) && right;
    }
  }
  for (const int ranks : {2, 128, 4096}) {
    const Numbers numbers{.type = {"float", 4}, .seed = 7, .ranks = ranks};
    right = measure(gpu, patterns, buffer, fmt::format("sum of float over {} ranks", ranks),
                    [&] { return expected_numbers(numbers); }) &&
            right;
  }
  gpu.cuda->cudaFree(memory);
  return right ? 0 : 1;
}

int print_ptx(std::string_view of) {
  if (of == "check")
    std::fputs(check_kernels, stdout);
  else if (of == "burn")
    std::fputs(burn_kernels().c_str(), stdout);
  else if (of == "health")
    std::fputs(health::gpu_kernel, stdout);
  else
    throw Error(fmt::format("there are no kernels `{}`", of));
  return 0;
}

int burn(const std::string& seconds) {
  for (const BurnedGpu& gpu : burn_gpus(gpus_to_burn(), std::stod(seconds))) {
    nlohmann::json line = {{"index", gpu.index},
                           {"model", gpu.model},
                           {"failed", gpu.failed},
                           {"lost", gpu.lost},
                           {"repetitions", gpu.repetitions},
                           {"wrong_repetitions", gpu.wrong_repetitions},
                           {"tflop_per_s", gpu.tflop_per_s},
                           {"throttled", gpu.throttled}};
    if (gpu.celsius) line["celsius"] = *gpu.celsius;
    if (gpu.sm_mhz) line["sm_mhz"] = *gpu.sm_mhz;
    fmt::print("{}\n", line.dump());
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) try {
  const std::string_view first = argc > 1 ? argv[1] : "";
  if (first == "--ptx" && argc == 3) return print_ptx(argv[2]);
  if (first == "--burn" && argc == 3) return burn(argv[2]);
  const auto bytes = static_cast<size_t>(parse_size(argc > 1 ? argv[1] : "1G"));
  constexpr size_t least = size_t{harmed_elements} * 16;
  if (bytes < least) throw Error(fmt::format("a buffer has at least {} bytes", least));
  return run(bytes / 64 * 64);
} catch (const std::exception& error) {
  fmt::print(stderr, "gpu_kernels: {}\n", error.what());
  return 2;
}
