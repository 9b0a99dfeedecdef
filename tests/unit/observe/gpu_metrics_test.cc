// Tests of metrics of GPUs, and of the files that say which job has which.
#include "launcher/observe/gpu_metrics.h"

#include "common/file.h"
#include "launcher/health/gpu_jobs.h"
#include "tests/unit/catch.h"
#include "tests/unit/temporary_directory.h"

using namespace slipway;
using namespace slipway::observe;

TEST_CASE("gpu metrics: in base units, without what the driver does not report") {
  health::Gpus gpus;
  health::GpuReading gpu;
  gpu.uuid = "GPU-1";
  gpu.name = "NVIDIA H100 80GB HBM3";
  gpu.bus = "0000:07:00.0";
  gpu.power_mw = 612'500;
  gpu.energy_mj = 70'250;
  gpu.utilization_percent = 97;
  gpu.sm_mhz = 1980;
  gpu.nvlinks = {true, false};
  gpus.gpus.push_back(gpu);
  gpus.gpus.push_back({});
  gpus.gpus.back().index = 1;
  gpus.gpus.back().lost = "GPU is lost";
  MetricSet set;
  add_gpus(set, "n", gpus);
  const std::string text = set.text();
  for (const char* sample :
       {"slipway_gpus{node=\"n\"} 2\n", "slipway_gpu_up{node=\"n\",gpu=\"0\"} 1\n",
        "slipway_gpu_up{node=\"n\",gpu=\"1\"} 0\n",
        "slipway_gpu_power_watts{node=\"n\",gpu=\"0\"} 612.5\n",
        "slipway_gpu_energy_joules_total{node=\"n\",gpu=\"0\"} 70.25\n",
        "slipway_gpu_utilization_ratio{node=\"n\",gpu=\"0\"} 0.97\n",
        "slipway_gpu_sm_clock_hertz{node=\"n\",gpu=\"0\"} 1980000000\n",
        "slipway_gpu_nvlinks_up{node=\"n\",gpu=\"0\"} 1\n"}) {
    CAPTURE(sample, text);
    CHECK(text.find(sample) != text.npos);
  }
  CHECK(text.find("celsius") == text.npos);
  CHECK(text.find("gpu=\"1\",") == text.npos);
}

TEST_CASE("gpu jobs: a file for each GPU of a job, which go with the job") {
  const TemporaryDirectory folder;
  const auto jobs = folder / "gpu-jobs";
  health::unmap_gpus(jobs, "5");  // before there is a folder
  health::map_gpus(jobs, "5", {0, 3});
  health::map_gpus(jobs, "6", {1});
  CHECK(read_file(jobs / "3") == "5\n");
  MetricSet set;
  add_gpu_jobs(set, "n", jobs);
  CHECK(set.text().find("slipway_gpu_job{node=\"n\",gpu=\"3\",job=\"5\"} 1\n") !=
        std::string::npos);
  health::unmap_gpus(jobs, "5");
  CHECK_FALSE(std::filesystem::exists(jobs / "0"));
  CHECK(std::filesystem::exists(jobs / "1"));
  // The epilog of 6 was lost: the next job replaces the file.
  health::map_gpus(jobs, "7", {1});
  CHECK(read_file(jobs / "1") == "7\n");
}
