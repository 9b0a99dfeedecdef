// Tests of how busy the GPUs of ranks are.
#include "launcher/job/gpu_load.h"

#include <cstdlib>
#include <thread>

#include "launcher/job/own_gpus.h"
#include "tests/unit/catch.h"

using namespace slipway;
using namespace slipway::job;
using namespace std::chrono_literals;
using Loads = std::vector<int64_t>;

namespace {

Loads wait_for_load(GpuLoad& load) {
  load.begin();
  for (int i = 0; i < 2000; ++i) {
    const Loads taken = load.take();
    if (!taken.empty() || load.processes().empty()) return taken;
    std::this_thread::sleep_for(5ms);
  }
  return {};
}

}  // namespace

TEST_CASE("gpu load: a reading comes once, and the next one follows") {
  GpuLoad load([](const health::Doing&) { return std::vector<unsigned>{100, 0, 7}; }, 10s);
  CHECK(wait_for_load(load) == Loads{100, 0, 7});
  CHECK(load.take().empty());
  CHECK(wait_for_load(load) == Loads{100, 0, 7});
}

TEST_CASE("gpu load: a node without such figures is not asked again, and a driver may hang") {
  GpuLoad none([](const health::Doing&) { return std::optional<std::vector<unsigned>>(); }, 10s);
  CHECK(wait_for_load(none).empty());
  none.begin();
  CHECK(none.processes().empty());
  GpuLoad hangs(
      [](const health::Doing&) {
        std::this_thread::sleep_for(1h);
        return std::vector<unsigned>{1};
      },
      50ms);
  CHECK(wait_for_load(hangs).empty());
}

TEST_CASE("gpu load: tasks share the job's GPUs evenly and in order") {
  const Loads gpus = {0, 10, 20, 30, 40, 50, 60, 70};
  CHECK(load_of_tasks(gpus, "", 8) == gpus);
  CHECK(load_of_tasks(gpus, "0-7", 4) == Loads{5, 25, 45, 65});
  CHECK(load_of_tasks(gpus, "2,4-6", 2) == Loads{30, 55});
  CHECK(load_of_tasks(gpus, "", 1) == Loads{35});
  CHECK(load_of_tasks(gpus, "", 3).empty());
  CHECK(load_of_tasks({}, "", 1).empty());
  CHECK(load_of_tasks(gpus, "GPU-1234", 8) == gpus);  // not numbers
}

TEST_CASE("own gpus: those of Slurm's list, or all where it does not fit what is visible") {
  using Places = std::vector<size_t>;
  CHECK(own_gpus(4, "1,3") == Places{1, 3});
  CHECK(own_gpus(4, "0-2") == Places{0, 1, 2});
  CHECK(own_gpus(4, "") == Places{0, 1, 2, 3});
  CHECK(own_gpus(0, "1").empty());
  // With ConstrainDevices, NVML shows two of eight, from 0 on.
  CHECK(own_gpus(2, "1,5") == Places{0, 1});
  CHECK(own_gpus(2, "0,1") == Places{0, 1});
  CHECK(own_gpus(2, "7") == Places{0, 1});
  CHECK(own_gpus(2, "GPU-1234") == Places{0, 1});
}

TEST_CASE("own gpus: the step's list counts, before that of the batch script's node") {
  ::setenv("SLURM_JOB_GPUS", "0,1", 1);
  CHECK(gpu_list_of_step() == "0,1");
  ::setenv("SLURM_STEP_GPUS", "2,3", 1);
  CHECK(gpu_list_of_step() == "2,3");
  ::unsetenv("SLURM_STEP_GPUS");
  ::unsetenv("SLURM_JOB_GPUS");
  CHECK(gpu_list_of_step().empty());
}
