// GPUs that compute and copy, on the stand-ins of NVIDIA's driver and of NVML, which this program
// finds by LD_LIBRARY_PATH.
#include "nccl-tests/gpu_burn.h"

#include <cstdlib>

#include "launcher/health/cuda.h"
#include "launcher/health/cuda_driver.h"
#include "nccl-tests/burn_verdict.h"
#include "tests/unit/catch.h"

using namespace slipway::bandwidth;
using slipway::health::CudaDriver;
using slipway::health::CudaResult;
using slipway::health::DevicePointer;

namespace {

// Settings of the stand-ins, until the end of a test.
class StandIns {
 public:
  explicit StandIns(const char* devices) {
    set("FAKE_CUDA_DEVICES", devices);
    set("FAKE_CUDA_MEMORY", "16777216");
  }
  ~StandIns() {
    for (const char* const name : names_) ::unsetenv(name);
  }
  StandIns(const StandIns&) = delete;
  StandIns& operator=(const StandIns&) = delete;

  void set(const char* name, const char* value) {
    ::setenv(name, value, 1);
    names_.push_back(name);
  }

 private:
  std::vector<const char*> names_;
};

// As short as a burn can be.
std::vector<BurnedGpu> burned() {
  return burn_gpus(gpus_to_burn(), 0);
}

std::vector<std::string> named(const std::vector<BurnedGpu>& gpus) {
  std::vector<std::string> texts;
  const NodeBurn node{.node = 0, .missing = "", .gpus = gpus};
  for (const BurnFinding& one : judge_burn({node}, 0.1)) texts.push_back(one.text);
  return texts;
}

using Texts = std::vector<std::string>;

CudaResult copied() {
  return slipway::health::run_cuda([](const std::string&) {});
}

}  // namespace

TEST_CASE("gpu burn: healthy GPUs compute what the host says, bit for bit, and equally fast") {
  StandIns settings("3");
  const std::vector<BurnedGpu> gpus = burned();
  REQUIRE(gpus.size() == 3);
  for (const BurnedGpu& gpu : gpus) {
    CHECK(gpu.failed.empty());
    CHECK(gpu.repetitions >= 3);
    CHECK(gpu.wrong_repetitions == 0);
    CHECK(gpu.tflop_per_s > 0);
    CHECK(gpu.celsius == 41U);
    CHECK(gpu.sm_mhz == 1980U);
  }
  CHECK(gpus[1].bus == "0000:05:00.0");
  CHECK(gpus[1].model == "NVIDIA H100 80GB HBM3");
  CHECK(named(gpus).empty());
}

TEST_CASE("gpu burn: a GPU that computes a wrong bit is named, always or once") {
  StandIns settings("2");
  settings.set("FAKE_CUDA_CORRUPT", "burn@1");
  std::vector<BurnedGpu> gpus = burned();
  REQUIRE(gpus.size() == 2);
  CHECK(gpus[0].wrong_repetitions == 0);
  CHECK(gpus[1].wrong_repetitions == gpus[1].repetitions);
  const Texts texts = named(gpus);
  REQUIRE(texts.size() == 1);
  CHECK(texts.front().starts_with("GPU 1 (0000:05:00.0) computed wrong results in "));
}

TEST_CASE("gpu burn: one wrong repetition among right ones is enough") {
  StandIns settings("2");
  // The first launches find out how long one takes; their results are not compared.
  settings.set("FAKE_CUDA_CORRUPT", "burn@0:7");
  const std::vector<BurnedGpu> gpus = burned();
  REQUIRE(gpus.size() == 2);
  CHECK(gpus[0].wrong_repetitions == 1);
  CHECK(gpus[0].repetitions >= 3);
  CHECK(gpus[1].wrong_repetitions == 0);
}

TEST_CASE("gpu burn: a launch that fails names its GPU, and the others go on") {
  for (const char* const call : {"cuLaunchKernel", "cuCtxSynchronize"}) {
    StandIns settings("2");
    settings.set("FAKE_CUDA_FAIL", (std::string(call) + "@1=719").c_str());
    const std::vector<BurnedGpu> gpus = burned();
    REQUIRE(gpus.size() == 2);
    CHECK(gpus[0].repetitions >= 3);
    CHECK(named(gpus) == Texts{std::string("GPU 1 (0000:05:00.0) failed: ") + call +
                               ": CUDA error 719 in repetition 1"});
  }
}

TEST_CASE("gpu burn: a GPU that is slower than its equals is named, by its own clock") {
  StandIns settings("3");
  settings.set("FAKE_CUDA_SLOW", "2:1.5");
  const Texts texts = named(burned());
  REQUIRE(texts.size() == 1);
  CHECK(texts.front().starts_with("GPU 2 (0000:06:00.0) computes "));
  CHECK(texts.front().ends_with(": clocks not throttled, 1980 MHz, 41 °C"));
}

TEST_CASE("gpu burn: findings have what NVML sees under load: heat, memory errors, a lost GPU") {
  StandIns settings("3");
  settings.set("FAKE_NVML", "0:uncorrected,1:throttled,2:lost");
  CHECK(named(burned()) ==
        Texts{"GPU 0 (0000:04:00.0) had 2 uncorrectable memory errors while it computed",
              "GPU 1 (0000:05:00.0) is throttled: too hot (hardware), 345 MHz, 92 °C",
              "GPU 2 (0000:06:00.0) was lost while it computed: GPU is lost"});
}

TEST_CASE("gpu burn: only the given GPUs compute") {
  StandIns settings("3");
  const std::vector<BurnedGpu> gpus = burn_gpus({"0000:06:00.0", "0000:7f:00.0"}, 0);
  REQUIRE(gpus.size() == 1);
  CHECK(gpus.front().index == 2);
  StandIns none("0");
  CHECK(gpus_to_burn().empty());
  CHECK(burn_gpus({"0000:06:00.0"}, 0).empty());
}

TEST_CASE("cuda copies: data really moves, and arrives unchanged") {
  StandIns settings("2");
  const CudaResult result = copied();
  REQUIRE(result.gpus.size() == 2);
  for (const auto& gpu : result.gpus) {
    CHECK(gpu.failed.empty());
    CHECK(gpu.right);
    CHECK(gpu.wrong_copy.empty());
    CHECK(gpu.copy_gb_per_s > 0);
    CHECK(gpu.host_gb_per_s > 0);
    CHECK(gpu.to_host_gb_per_s > 0);
  }
}

TEST_CASE("cuda copies: a flipped bit is found, and where it was flipped") {
  struct Case {
    const char *order, *where;
  };
  for (const Case& one : {Case{"cuMemcpyHtoD_v2@1", "from the host or to it"},
                          Case{"cuMemcpyDtoH_v2@1", "from the host or to it"},
                          Case{"cuMemcpyDtoD_v2@1", "within its memory"}}) {
    StandIns settings("2");
    settings.set("FAKE_CUDA_CORRUPT", one.order);
    const CudaResult result = copied();
    REQUIRE(result.gpus.size() == 2);
    CHECK(result.gpus[0].wrong_copy.empty());
    CHECK(result.gpus[1].wrong_copy == one.where);
  }
}

TEST_CASE("cuda copies: a wrong computation, and a GPU without memory") {
  StandIns settings("2");
  settings.set("FAKE_CUDA_CORRUPT", "squares@0");
  settings.set("FAKE_CUDA_FAIL", "cuMemAlloc_v2@1=2");
  const CudaResult result = copied();
  REQUIRE(result.gpus.size() == 2);
  CHECK(!result.gpus[0].right);
  CHECK(result.gpus[0].wrong_copy.empty());
  CHECK(result.gpus[1].failed == "cuMemAlloc_v2: CUDA error 2");
}

TEST_CASE("stand-in of the driver: memory needs a context, and pointers must be its own") {
  constexpr int invalid_value = 1, out_of_memory = 2, invalid_device = 101, invalid_context = 201;
  StandIns settings("2");
  const CudaDriver cuda;
  REQUIRE(cuda);
  CHECK(cuda.status_of("cuInit", 1U) == invalid_value);
  REQUIRE(cuda.status_of("cuInit", 0U) == 0);
  int device = 0;
  CHECK(cuda.status_of("cuDeviceGet", &device, 2) == invalid_device);
  REQUIRE(cuda.status_of("cuCtxSetCurrent", static_cast<void*>(nullptr)) == 0);
  DevicePointer pointer = 0;
  CHECK(cuda.status_of("cuMemAlloc_v2", &pointer, size_t{64}) == invalid_context);
  CHECK(cuda.status_of("cuCtxSynchronize") == invalid_context);
  void* context = nullptr;
  REQUIRE(cuda.status_of("cuDevicePrimaryCtxRetain", &context, 0) == 0);
  REQUIRE(cuda.status_of("cuCtxSetCurrent", context) == 0);
  CHECK(cuda.status_of("cuMemAlloc_v2", &pointer, size_t{0}) == invalid_value);
  CHECK(cuda.status_of("cuMemAlloc_v2", &pointer, size_t{1} << 30) == out_of_memory);
  REQUIRE(cuda.status_of("cuMemAlloc_v2", &pointer, size_t{64}) == 0);
  char host[65] = {};
  void* const to = host;
  CHECK(cuda.status_of("cuMemcpyDtoH_v2", to, pointer, size_t{64}) == 0);
  CHECK(cuda.status_of("cuMemcpyDtoH_v2", to, pointer, size_t{65}) == invalid_value);
  CHECK(cuda.status_of("cuMemcpyDtoH_v2", to, pointer + 1, size_t{64}) == invalid_value);
  CHECK(cuda.status_of("cuMemcpyHtoD_v2", pointer, static_cast<const void*>(nullptr), size_t{64}) ==
        invalid_value);
  CHECK(cuda.status_of("cuMemcpyDtoD_v2", pointer, DevicePointer{0}, size_t{64}) == invalid_value);
  CHECK(cuda.status_of("cuMemFree_v2", pointer + 8) == invalid_value);
  CHECK(cuda.status_of("cuMemFree_v2", pointer) == 0);
  CHECK(cuda.status_of("cuMemFree_v2", pointer) == invalid_value);
  // With its last user, a context is gone, and its memory with it.
  REQUIRE(cuda.status_of("cuMemAlloc_v2", &pointer, size_t{64}) == 0);
  while (cuda.status_of("cuDevicePrimaryCtxRelease_v2", 0) == 0) {
  }
  CHECK(cuda.status_of("cuCtxSetCurrent", context) == invalid_context);
  REQUIRE(cuda.status_of("cuDevicePrimaryCtxRetain", &context, 0) == 0);
  REQUIRE(cuda.status_of("cuCtxSetCurrent", context) == 0);
  CHECK(cuda.status_of("cuMemFree_v2", pointer) == invalid_value);
  CHECK(cuda.status_of("cuDevicePrimaryCtxRelease_v2", 0) == 0);
}
