// Tests of how CUDA's measurements are judged.
#include "launcher/health/deep.h"
#include "tests/unit/catch.h"
#include "tests/unit/health/support.h"

using namespace slipway::health;
using Lines = std::vector<std::string>;

namespace {

Lines found_by_cuda(const CudaResult& cuda, CheckResults& results) {
  const Context context =
      context_with("limits: {gpu_memory_gb_per_s: 2000, gpu_host_gb_per_s: 40}\n");
  CheckRun run(context, results);
  check_cuda(cuda, run);
  return lines_of(results);
}

}  // namespace

TEST_CASE("deep checks: a GPU that is slow, computes wrong results, or fails") {
  CudaResult cuda;
  cuda.gpus = {{0, "", true, 2500, 50},
               {1, "", true, 1500, 30},
               {2, "", false, 2500, 50},
               {3, "cuMemAlloc_v2: CUDA error 2", false, 0, 0}};
  CheckResults results;
  CHECK(found_by_cuda(cuda, results) ==
        Lines{"gpu-memory-slow GPU 1: 1500 GB/s within GPU memory, expected 2000",
              "gpu-memory-slow GPU 1: 30.0 GB/s from the host, expected 40",
              "gpu-wrong-result GPU 2: wrong result",
              "gpu-wrong-result GPU 3: cuMemAlloc_v2: CUDA error 2"});
  CHECK(results.facts.at("memory_gb_per_s/GPU 0") == "2500");
}

TEST_CASE("deep checks: without CUDA, the check is reported as skipped") {
  CheckResults results;
  CHECK(found_by_cuda({"libcuda.so.1 not found", {}}, results).empty());
  CHECK(results.skipped.at(0).why == "libcuda.so.1 not found");
}
