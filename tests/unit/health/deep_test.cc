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
        Lines{"gpu-memory-slow GPU 1: 1500 GB/s within its memory, expected 2000",
              "gpu-memory-slow GPU 1: 30.0 GB/s from the host, expected 40",
              "gpu-wrong-result GPU 2: it computed something wrong",
              "gpu-wrong-result GPU 3: cuMemAlloc_v2: CUDA error 2"});
  CHECK(look.facts.at("memory_gb_per_s/GPU 0") == "2500");
}

TEST_CASE("deep checks: without CUDA it is skipped, which is said") {
  Look look;
  CHECK(found_by_cuda({"there is no libcuda.so.1", {}}, look).empty());
  CHECK(look.skipped.at(0).why == "there is no libcuda.so.1");
}
