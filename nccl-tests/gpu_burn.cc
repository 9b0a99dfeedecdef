// A burn: every GPU repeats a kernel whose results are known, and NVML tells what it suffers.
#include "nccl-tests/gpu_burn.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

#include <fmt/core.h>

#include "common/error.h"
#include "common/text.h"
#include "launcher/health/cuda_driver.h"
#include "launcher/health/gpus.h"
#include "nccl-tests/burn_kernels.h"

namespace slipway::bandwidth {
namespace {

using health::CudaDriver;
using health::DevicePointer;
using BurnClock = std::chrono::steady_clock;

constexpr unsigned burn_threads = 256;
constexpr unsigned blocks_of_a_multiprocessor = 8;  // as many threads as one can have
// A launch takes long beside the pause between two, and not so long that a burn has few.
constexpr double least_launch_ms = 20;
constexpr uint32_t most_steps = 1 << 18;
constexpr int64_t least_repetitions = 3;
constexpr auto first_pause = std::chrono::milliseconds(10);  // between readings of NVML
constexpr auto longest_pause = std::chrono::milliseconds(1000);
// Counted from the beginning of a GPU's repetitions, the first may have begun before them.
constexpr int64_t least_readings = 2;

// What the host must calculate is the same for all GPUs that need as many steps.
const BurnResults& expected_results(uint32_t steps) {
  static std::mutex mutex;
  static std::map<uint32_t, BurnResults> known;
  const std::lock_guard lock(mutex);
  auto found = known.find(steps);
  if (found == known.end()) found = known.emplace(steps, burn_results(steps)).first;
  return found->second;
}

std::string bus_of(const CudaDriver& cuda, int device) {
  std::array<char, 32> text{};
  cuda.call("cuDeviceGetPCIBusId", text.data(), static_cast<int>(text.size()), device);
  return to_lower(text.data());
}

int devices_of(const CudaDriver& cuda) {
  int count = 0;
  constexpr int no_device = 100;
  const int status = cuda.status_of("cuInit", 0U);
  if (status == no_device) return 0;
  if (status != 0) throw Error(fmt::format("cuInit: CUDA error {}", status));
  cuda.call("cuDeviceGetCount", &count);
  return count;
}

// One GPU, from its context to its last result; all in one thread.
class BurningGpu {
 public:
  // `readings` counts what NVML was asked: a GPU computes until it was seen to.
  BurningGpu(const CudaDriver& cuda, BurnedGpu& gpu, const std::atomic<int64_t>& readings)
      : cuda_(cuda), gpu_(gpu), readings_(readings) {}
  ~BurningGpu() { end(); }
  BurningGpu(const BurningGpu&) = delete;
  BurningGpu& operator=(const BurningGpu&) = delete;

  void run(double seconds) {
    prepare();
    const uint32_t steps = choose_steps();
    expect(steps);
    const auto end = BurnClock::now() + std::chrono::duration<double>(seconds);
    const int64_t seen = readings_ + least_readings;
    double milliseconds = 0;
    uint64_t wrong = 0;
    while (gpu_.repetitions < least_repetitions || readings_ < seen || BurnClock::now() < end) {
      milliseconds += launch(steps);
      const uint64_t now = wrong_words();
      ++gpu_.repetitions;
      if (now != wrong) ++gpu_.wrong_repetitions;
      wrong = now;
      const double done = static_cast<double>(gpu_.repetitions) * steps * elements_;
      if (milliseconds > 0) gpu_.tflop_per_s = done * burn_operations / (milliseconds / 1e3) / 1e12;
    }
  }

 private:
  // After an error, the driver refuses these calls too.
  void end() noexcept try {
    for (void* event : events_) {
      if (event != nullptr) cuda_.status_of("cuEventDestroy_v2", event);
    }
    if (module_ != nullptr) cuda_.status_of("cuModuleUnload", module_);
    if (context_ != nullptr)
      cuda_.status_of("cuDevicePrimaryCtxRelease_v2", device_);  // with its memory
  } catch (const Error&) {  // this driver does not have one of them
  }

  void prepare() {
    constexpr int multiprocessor_count = 16;  // CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT
    int multiprocessors = 0;
    cuda_.call("cuDeviceGet", &device_, gpu_.index);
    cuda_.call("cuDeviceGetAttribute", &multiprocessors, multiprocessor_count, device_);
    cuda_.call("cuDevicePrimaryCtxRetain", &context_, device_);
    cuda_.call("cuCtxSetCurrent", context_);
    const std::string kernels = burn_kernels();
    cuda_.call("cuModuleLoadData", &module_, static_cast<const void*>(kernels.c_str()));
    cuda_.call("cuModuleGetFunction", &burn_, module_, "burn");
    cuda_.call("cuModuleGetFunction", &compare_, module_, "compare");
    blocks_ = static_cast<unsigned>(std::max(1, multiprocessors)) * blocks_of_a_multiprocessor;
    elements_ = static_cast<double>(blocks_) * burn_threads;
    const BurnStarts starts = burn_starts();
    cuda_.call("cuMemAlloc_v2", &results_, size_t{blocks_} * burn_threads * sizeof(uint32_t));
    cuda_.call("cuMemAlloc_v2", &starts_, sizeof starts);
    cuda_.call("cuMemAlloc_v2", &expected_, sizeof(BurnResults));
    cuda_.call("cuMemAlloc_v2", &wrong_, sizeof(uint64_t));
    cuda_.call("cuMemcpyHtoD_v2", starts_, static_cast<const void*>(starts.data()), sizeof starts);
    cuda_.call("cuMemsetD8_v2", wrong_, static_cast<unsigned char>(0), sizeof(uint64_t));
    for (void*& event : events_) cuda_.call("cuEventCreate", &event, 0U);
  }

  void launch_kernel(void* kernel, void** arguments) {
    void* const no_stream = nullptr;
    cuda_.call("cuLaunchKernel", kernel, blocks_, 1U, 1U, burn_threads, 1U, 1U, 0U, no_stream,
               arguments, static_cast<void**>(nullptr));
  }

  // Returns the milliseconds that it took, by the GPU's clock.
  double launch(uint32_t steps) {
    void* const no_stream = nullptr;
    std::array<void*, 3> arguments = {&results_, &starts_, &steps};
    cuda_.call("cuEventRecord", events_[0], no_stream);
    launch_kernel(burn_, arguments.data());
    cuda_.call("cuEventRecord", events_[1], no_stream);
    uint64_t elements = uint64_t{blocks_} * burn_threads;
    std::array<void*, 4> compared = {&results_, &elements, &expected_, &wrong_};
    if (is_expecting_) launch_kernel(compare_, compared.data());
    cuda_.call("cuCtxSynchronize");
    float milliseconds = 0;
    cuda_.call("cuEventElapsedTime", &milliseconds, events_[0], events_[1]);
    return milliseconds;
  }

  uint32_t choose_steps() {
    uint32_t steps = 1;
    while (launch(steps) < least_launch_ms && steps < most_steps) steps *= 2;
    return steps;
  }

  void expect(uint32_t steps) {
    const BurnResults& expected = expected_results(steps);
    cuda_.call("cuMemcpyHtoD_v2", expected_, static_cast<const void*>(expected.data()),
               sizeof expected);
    is_expecting_ = true;
  }

  uint64_t wrong_words() const {
    uint64_t wrong = 0;
    cuda_.call("cuMemcpyDtoH_v2", static_cast<void*>(&wrong), wrong_, sizeof wrong);
    return wrong;
  }

  const CudaDriver& cuda_;
  BurnedGpu& gpu_;
  const std::atomic<int64_t>& readings_;
  void* context_ = nullptr;
  void* module_ = nullptr;
  int device_ = 0;
  void *burn_ = nullptr, *compare_ = nullptr;
  std::array<void*, 2> events_ = {};
  DevicePointer results_ = 0, starts_ = 0, expected_ = 0, wrong_ = 0;
  unsigned blocks_ = 0;
  double elements_ = 0;
  bool is_expecting_ = false;
};

void burn_one(const CudaDriver& cuda, BurnedGpu& gpu, double seconds,
              const std::atomic<int64_t>& readings) {
  try {
    BurningGpu(cuda, gpu, readings).run(seconds);
  } catch (const Error& error) {
    gpu.failed = fmt::format("{} in repetition {}", error.what(), gpu.repetitions + 1);
  }
}

// What NVML says about the GPUs before, while and after they compute.
class Watch {
 public:
  explicit Watch(std::vector<BurnedGpu>& gpus) : gpus_(gpus) {
    const health::Gpus before = read();
    for (const health::GpuReading& reading : before.gpus) before_[reading.bus] = reading;
  }

  // `is_computing`: its clocks and what throttles them count.
  void look(bool is_computing) {
    for (const health::GpuReading& reading : read().gpus) {
      const auto of_bus = std::ranges::find(gpus_, reading.bus, &BurnedGpu::bus);
      if (of_bus == gpus_.end()) {
        note_lost(reading);
        continue;
      }
      BurnedGpu& gpu = *of_bus;
      if (reading.celsius) gpu.celsius = std::max(gpu.celsius.value_or(0), *reading.celsius);
      note_errors(gpu, reading);
      if (!is_computing) continue;
      gpu.throttled |= reading.throttle_reasons.value_or(0);
      if (reading.sm_mhz)
        gpu.sm_mhz = std::min(gpu.sm_mhz.value_or(*reading.sm_mhz), *reading.sm_mhz);
    }
  }

 private:
  static health::Gpus read() {
    return health::read_gpus([](const std::string&) {});
  }

  // A GPU that NVML has lost has no bus ID any more, but its number.
  void note_lost(const health::GpuReading& reading) {
    for (const auto& [bus, was] : before_) {
      if (was.index != reading.index || reading.lost.empty()) continue;
      const auto gpu = std::ranges::find(gpus_, bus, &BurnedGpu::bus);
      if (gpu != gpus_.end()) gpu->lost = reading.lost;
    }
  }

  void note_errors(BurnedGpu& gpu, const health::GpuReading& now) {
    const auto was = before_.find(now.bus);
    if (was == before_.end()) return;
    const auto growth = [](const std::optional<uint64_t>& from, const std::optional<uint64_t>& to) {
      return from && to && *to > *from ? *to - *from : 0;
    };
    gpu.ecc_corrected = growth(was->second.ecc_corrected, now.ecc_corrected);
    gpu.ecc_uncorrected = growth(was->second.ecc_uncorrected, now.ecc_uncorrected);
  }

  std::vector<BurnedGpu>& gpus_;
  std::map<std::string, health::GpuReading> before_;
};

std::vector<BurnedGpu> find_gpus(const CudaDriver& cuda, const std::vector<std::string>& buses) {
  std::vector<BurnedGpu> gpus;
  const int count = devices_of(cuda);
  for (int device = 0; device < count; ++device) {
    BurnedGpu gpu;
    gpu.index = device;
    gpu.bus = bus_of(cuda, device);
    if (std::ranges::count(buses, gpu.bus) == 0) continue;
    std::array<char, 128> name{};
    cuda.call("cuDeviceGetName", name.data(), static_cast<int>(name.size()), device);
    gpu.model = name.data();
    gpus.push_back(std::move(gpu));
  }
  return gpus;
}

}  // namespace

std::vector<std::string> gpus_to_burn() {
  const CudaDriver cuda;
  std::vector<std::string> buses;
  const int count = cuda ? devices_of(cuda) : 0;
  for (int device = 0; device < count; ++device) buses.push_back(bus_of(cuda, device));
  return buses;
}

std::vector<BurnedGpu> burn_gpus(const std::vector<std::string>& buses, double seconds) {
  const CudaDriver cuda;
  if (!cuda) return {};
  std::vector<BurnedGpu> gpus = find_gpus(cuda, buses);
  std::vector<BurnedGpu> seen = gpus;
  Watch watch(seen);
  std::mutex mutex;
  std::condition_variable changed;
  size_t computing = gpus.size();
  std::atomic<int64_t> readings = 0;
  std::vector<std::thread> threads;
  for (BurnedGpu& gpu : gpus) {
    threads.emplace_back([&] {
      burn_one(cuda, gpu, seconds, readings);
      const std::lock_guard lock(mutex);
      --computing;
      changed.notify_all();
    });
  }
  auto pause = first_pause;
  for (std::unique_lock lock(mutex); computing > 0; pause = std::min(2 * pause, longest_pause)) {
    lock.unlock();
    watch.look(true);
    ++readings;
    lock.lock();
    changed.wait_for(lock, pause, [&] { return computing == 0; });
  }
  for (std::thread& thread : threads) thread.join();
  watch.look(false);
  for (size_t i = 0; i < gpus.size(); ++i) {
    gpus[i].celsius = seen[i].celsius;
    gpus[i].sm_mhz = seen[i].sm_mhz;
    gpus[i].throttled = seen[i].throttled;
    gpus[i].ecc_corrected = seen[i].ecc_corrected;
    gpus[i].ecc_uncorrected = seen[i].ecc_uncorrected;
    gpus[i].lost = seen[i].lost;
  }
  return gpus;
}

}  // namespace slipway::bandwidth
