// Tests of what CUDA's figures mean.
#include "launcher/health/deep.h"
#include "tests/unit/catch.h"
#include "tests/unit/health/support.h"

using namespace slipway::health;
using Lines = std::vector<std::string>;

namespace {

Lines found_by_cuda(const CudaResult& cuda, Look& look) {
  const Context context =
      context_with("limits: {gpu_memory_gb_per_s: 2000, gpu_host_gb_per_s: 40}\n");
  Looking looking(context, look);
  check_cuda(cuda, looking);
  return lines_of(look);
}

}  // namespace

TEST_CASE("deep checks: a GPU that is slow, computes wrong or cannot") {
  CudaResult cuda;
  cuda.gpus = {{0, "", true, 2500, 50},
               {1, "", true, 1500, 30},
               {2, "", false, 2500, 50},
               {3, "cuMemAlloc_v2: CUDA error 2", false, 0, 0}};
  Look look;
  CHECK(found_by_cuda(cuda, look) ==
        Lines{"gpu-memory-slow GPU 1: 1500 GB/s within GPU memory, expected 2000",
              "gpu-memory-slow GPU 1: 30.0 GB/s from the host, expected 40",
              "gpu-wrong-result GPU 2: wrong result",
              "gpu-wrong-result GPU 3: cuMemAlloc_v2: CUDA error 2"});
  CHECK(look.facts.at("memory_gb_per_s/GPU 0") == "2500");
}

TEST_CASE("deep checks: without CUDA it is skipped, which is said") {
  Look look;
  CHECK(found_by_cuda({"libcuda.so.1 not found", {}}, look).empty());
  CHECK(look.skipped.at(0).why == "libcuda.so.1 not found");
}
