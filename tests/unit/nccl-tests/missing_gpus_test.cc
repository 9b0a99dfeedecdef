#include "nccl-tests/missing_gpus.h"

#include <dlfcn.h>

#include <fstream>

#include "tests/unit/catch.h"
#include "tests/unit/nccl-tests/variable.h"
#include "tests/unit/temporary_directory.h"

using namespace slipway::bandwidth;

TEST_CASE("missing GPUs: a kernel module without the driver's library is a problem") {
  if (::dlopen("libcuda.so.1", RTLD_NOW) != nullptr) return;  // this machine has a driver
  const TemporaryDirectory folder;
  const auto none = folder / "none", module = folder / "version";
  std::ofstream(module) << "NVRM version: 580\n";
  const Variable no_step("SLURM_STEP_GPUS", nullptr), no_job("SLURM_JOB_GPUS", nullptr);
  CHECK(missing_gpus(none).problem.empty());
  CHECK(missing_gpus(none).warning.empty());
  CHECK(missing_gpus(module).problem.find("libcuda.so.1 cannot be loaded") != std::string::npos);
  const Variable gpus("SLURM_JOB_GPUS", "0,1");
  CHECK(missing_gpus(none).problem.empty());
  CHECK(missing_gpus(none).warning.find("SLURM_JOB_GPUS=0,1") != std::string::npos);
}
