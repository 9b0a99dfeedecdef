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

Lines found_by_model(const CudaResult& cuda, const std::string& model, const std::string& own,
                     CheckResults& results) {
  results = {};
  Context context = context_with(own);
  context.profile.gpus.model = model;
  CheckRun run(context, results);
  check_cuda(cuda, run);
  return lines_of(results);
}

}  // namespace

TEST_CASE("deep checks: a GPU that is slow, computes wrong results, or fails") {
  CudaResult cuda;
  cuda.gpus = {{0, "", true, 2500, 50, 50},
               {1, "", true, 1500, 30, 50},
               {2, "", false, 2500, 50, 39.9},
               {3, "cuMemAlloc_v2: CUDA error 2", false, 0, 0, 0}};
  CheckResults results;
  CHECK(found_by_cuda(cuda, results) ==
        Lines{"gpu-memory-slow GPU 1: 1500 GB/s within GPU memory, expected 2000",
              "gpu-memory-slow GPU 1: 30.0 GB/s from the host, expected 40",
              "gpu-wrong-result GPU 2: wrong result",
              "gpu-memory-slow GPU 2: 39.9 GB/s to the host, expected 40",
              "gpu-wrong-result GPU 3: cuMemAlloc_v2: CUDA error 2"});
  CHECK(results.facts.at("memory_gb_per_s/GPU 0") == "2500");
}

TEST_CASE("deep checks: without a limit, a GPU is judged by what its model reaches") {
  CudaResult cuda;
  cuda.gpus = {{0, "", true, 1857, 36, 36}, {1, "", true, 1856, 35.9, 24}};
  CheckResults results;
  CHECK(
      found_by_model(cuda, "nvidia-h100-mega-80gb", "", results) ==
      Lines{
          "gpu-memory-slow GPU 1: 1856 GB/s within GPU memory, this model reaches 2475, less 25 %",
          "gpu-memory-slow GPU 1: 35.9 GB/s from the host, this model reaches 48, less 25 %",
          "gpu-memory-slow GPU 1: 24.0 GB/s to the host, this model reaches 48, less 25 %"});
  CHECK(!results.facts.contains("host_gb_per_s"));
  CHECK(found_by_model(cuda, "nvidia-h100-mega-80gb",
                       "limits: {gpu_speed_tolerance_percent: 60, gpu_host_gb_per_s: 20}\n",
                       results)
            .empty());
}

TEST_CASE("deep checks: a model without a published speed is not judged, and the report says so") {
  CudaResult cuda;
  cuda.gpus = {{0, "", true, 1, 1, 1}};
  for (const char* const model : {"nvidia-b200", "of-tomorrow"}) {
    CheckResults results;
    CHECK(found_by_model(cuda, model, "", results).empty());
    CHECK(results.facts.at("host_gb_per_s") == "not judged: no figure for this GPU model");
    CHECK(results.facts.at("memory_gb_per_s") == "not judged: no figure for this GPU model");
  }
  CheckResults results;
  CHECK(found_by_model(cuda, "nvidia-h200-141gb", "", results).size() == 2);
  CHECK(results.facts.contains("memory_gb_per_s"));
  CHECK(!results.facts.contains("host_gb_per_s"));
}

TEST_CASE("deep checks: without CUDA, the check is reported as skipped") {
  CheckResults results;
  CHECK(found_by_cuda({"libcuda.so.1 not found", {}}, results).empty());
  CHECK(results.skipped.at(0).why == "libcuda.so.1 not found");
}
