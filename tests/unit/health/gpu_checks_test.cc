// Tests of GPU checks, with values as NVML reports them.
#include "launcher/health/checks.h"
#include "tests/unit/catch.h"
#include "tests/unit/health/support.h"

using namespace slipway;
using namespace slipway::health;
using Lines = std::vector<std::string>;

namespace slipway::health {

Context context_with(const std::string& own_policy) {
  Context context;
  context.profile.node = "n-0";
  context.profile.role = "compute";
  context.profile.gpus = {2, "nvidia-h100-mega-80gb", {}};
  context.profile.network_interfaces = {{"eth0", "host", "net", "", 1460},
                                        {"eth1", "gpu", "gpunet", "", 8244}};
  context.policy = policy_with(own_policy);
  return context;
}

std::vector<std::string> lines_of(const CheckResults& results) {
  std::vector<std::string> lines;
  for (const Finding& finding : results.findings) {
    lines.push_back(finding.kind + " " + finding.device + ": " + finding.evidence);
  }
  return lines;
}

}  // namespace slipway::health

namespace {

GpuReading healthy_gpu(unsigned index) {
  GpuReading gpu;
  gpu.index = index;
  gpu.bus = index == 0 ? "0000:04:00.0" : "0000:05:00.0";
  gpu.uuid = "GPU-" + std::to_string(index);
  gpu.name = "NVIDIA H100 80GB HBM3";
  gpu.ecc_corrected = gpu.ecc_uncorrected = 0;
  gpu.rows_pending = gpu.rows_failed = gpu.pages_retired = 0;
  gpu.nvlinks.assign(18, true);
  gpu.pcie_generation = 5;
  gpu.pcie_width = 16;
  gpu.pcie_replays = 0;
  gpu.performance_state = 0;
  gpu.throttle_reasons = 0;
  gpu.celsius = 40;
  gpu.power_limit_mw = gpu.default_power_limit_mw = 700'000;
  gpu.processes.emplace();
  gpu.persistence = true;
  gpu.recovery_action = 0;
  return gpu;
}

Gpus healthy_gpus() {
  Gpus gpus;
  gpus.driver_version = "570.86.15";
  gpus.gpus = {healthy_gpu(0), healthy_gpu(1)};
  return gpus;
}

CheckResults check_with(const Gpus& gpus, const Context& context) {
  CheckResults results;
  CheckRun run(context, results);
  check_gpus(gpus, run);
  return results;
}

Lines found(const Gpus& gpus) {
  return lines_of(check_with(gpus, context_with()));
}

// The findings of a node whose second GPU was changed.
template <class Change>
Lines found_with(Change change) {
  Gpus gpus = healthy_gpus();
  change(gpus.gpus[1]);
  return found(gpus);
}

}  // namespace

TEST_CASE("gpu checks: healthy GPUs have no findings, and every check runs") {
  const CheckResults results = check_with(healthy_gpus(), context_with());
  CHECK(lines_of(results).empty());
  CHECK(results.checks.size() == 13);
  CHECK(results.skipped.size() == 1);  // processes: there is no job
  CHECK(results.facts.at("driver_version") == "570.86.15");
}

TEST_CASE("gpu checks: a model is known by the name that the driver shows, and by no other's") {
  const auto is = [](const std::string& model, const std::string& name) {
    Context context = context_with();
    context.profile.gpus.model = model;
    Gpus gpus = healthy_gpus();
    for (GpuReading& gpu : gpus.gpus) gpu.name = name;
    for (const std::string& line : lines_of(check_with(gpus, context)))
      if (line.starts_with("gpu-wrong-model")) return false;
    return context.policy.gpu_models.contains(model);
  };
  CHECK(is("nvidia-b200", "NVIDIA B200"));
  CHECK(is("nvidia-gb200", "NVIDIA GB200"));
  CHECK(is("nvidia-gb300", "NVIDIA GB300"));
  CHECK(is("nvidia-tesla-a100", "A100-SXM4-40GB"));
  CHECK(is("nvidia-rtx-pro-6000", "NVIDIA RTX PRO 6000 Blackwell Server Edition"));
  CHECK(!is("nvidia-b200", "NVIDIA GB200"));
  CHECK(!is("nvidia-h200-141gb", "NVIDIA GH200 480GB"));
}

TEST_CASE("gpu checks: every fault is found, on its GPU") {
  const std::string gpu = " GPU 1 0000:05:00.0: ";
  CHECK(found_with([](GpuReading& one) { one.name = "NVIDIA A100-SXM4-80GB"; }) ==
        Lines{"gpu-wrong-model" + gpu +
              "it is a `NVIDIA A100-SXM4-80GB`, node.json has nvidia-h100-mega-80gb"});
  CHECK(found_with([](GpuReading& one) { one.ecc_uncorrected = 2; }) ==
        Lines{"gpu-ecc-uncorrected" + gpu + "2 uncorrectable memory errors"});
  CHECK(found_with([](GpuReading& one) { one.rows_pending = 1; }) ==
        Lines{"gpu-remap-pending" + gpu + "memory rows will be remapped at the next reset"});
  CHECK(found_with([](GpuReading& one) { one.rows_failed = 1; }) ==
        Lines{"gpu-remap-failed" + gpu + "a memory row could not be remapped"});
  CHECK(found_with([](GpuReading& one) { one.pages_retired = 61; }) ==
        Lines{"gpu-pages-retired" + gpu + "61 memory pages retired"});
  CHECK(found_with([](GpuReading& one) { one.nvlinks[3] = one.nvlinks[7] = false; }) ==
        Lines{"nvlink-down" + gpu + "NVLink 3, 7 is down"});
  CHECK(found_with([](GpuReading& one) { one.nvlinks.resize(12); }) ==
        Lines{"nvlink-missing" + gpu + "12 of 18 NVLinks found"});
  CHECK(found_with([](GpuReading& one) { one.pcie_width = 8; }) ==
        Lines{"pcie-width" + gpu + "PCIe x8, expected x16"});
  CHECK(found_with([](GpuReading& one) { one.pcie_generation = 4; }) ==
        Lines{"pcie-generation" + gpu + "PCIe generation 4, expected 5"});
  CHECK(found_with([](GpuReading& one) { one.throttle_reasons = 0x40; }) ==
        Lines{"gpu-throttled" + gpu + "clocks throttled: too hot (hardware)"});
  CHECK(found_with([](GpuReading& one) { one.celsius = 90; }) == Lines{"gpu-hot" + gpu + "90 °C"});
  CHECK(found_with([](GpuReading& one) { one.power_limit_mw = 400'000; }) ==
        Lines{"gpu-power-limited" + gpu + "limited to 400 W, default 700 W"});
  CHECK(found_with([](GpuReading& one) { one.persistence = false; }) ==
        Lines{"gpu-persistence-off" + gpu +
              "persistence mode is off, so every job waits for the driver to load"});
  CHECK(found_with([](GpuReading& one) { one.recovery_action = 2; }) ==
        Lines{"gpu-recovery" + gpu + "node-reboot"});
}

TEST_CASE("gpu checks: an idle GPU may lower its PCIe link, and software may lower clocks") {
  CHECK(found_with([](GpuReading& one) {
          one.pcie_generation = 1;
          one.performance_state = 8;
        }).empty());
  CHECK(found_with([](GpuReading& one) { one.throttle_reasons = 0x1 | 0x4; }).empty());
}

TEST_CASE("gpu checks: what a driver does not support is not a finding") {
  Gpus gpus = healthy_gpus();
  for (GpuReading& gpu : gpus.gpus) {
    GpuReading bare;
    bare.index = gpu.index;
    bare.name = gpu.name;
    bare.nvlinks = gpu.nvlinks;
    gpu = bare;
  }
  CHECK(found(gpus).empty());
}

TEST_CASE("gpu checks: a GPU that is lost or was never there is missing") {
  Gpus gpus = healthy_gpus();
  gpus.gpus[1] = {};
  gpus.gpus[1].index = 1;
  gpus.gpus[1].lost = "GPU is lost";
  CHECK(found(gpus) == Lines{"gpu-missing GPU 1: GPU is lost"});
  gpus.gpus.pop_back();
  CHECK(found(gpus) == Lines{"gpu-missing GPUs: 1 of 2 found"});
}

TEST_CASE("gpu checks: no library, no driver, or mismatched versions") {
  Gpus gpus;
  gpus.no_library = true;
  gpus.error = "libnvidia-ml.so.1 not found";
  CHECK(found(gpus) == Lines{"driver-missing NVML: libnvidia-ml.so.1 not found"});
  gpus.no_library = false;
  gpus.error = "Unknown Error";
  CHECK(found(gpus) == Lines{"driver-failed NVML: Unknown Error"});
  gpus.mismatch = true;
  CHECK(found(gpus) == Lines{"driver-mismatch NVML: Unknown Error"});
}

TEST_CASE("gpu checks: a GPU that is alone in its machine needs no NVLink") {
  Context context = context_with();
  context.profile.gpus.count = 1;
  Gpus gpus = healthy_gpus();
  gpus.gpus.pop_back();
  gpus.gpus[0].nvlinks.clear();
  const CheckResults results = check_with(gpus, context);
  CHECK(lines_of(results).empty());
  CHECK(results.skipped.at(0).why == "a GPU that is alone in its machine is connected to no other");
}

TEST_CASE("gpu checks: an unknown model gets the checks that need no expected values") {
  Context context = context_with();
  context.profile.gpus.model = "nvidia-x900";
  Gpus gpus = healthy_gpus();
  gpus.gpus[1].pcie_width = 1;
  gpus.gpus[1].nvlinks.clear();
  const CheckResults results = check_with(gpus, context);
  CHECK(lines_of(results).empty());
  CHECK(results.skipped.at(0).why == "the policy has no GPU model `nvidia-x900`");
}

TEST_CASE("gpu checks: counters count from the last check on, and restart after a reset") {
  Context context = context_with("limits: {gpu_ecc_corrected: 10, gpu_pcie_replays: 10}\n");
  Gpus gpus = healthy_gpus();
  gpus.gpus[1].ecc_corrected = 500;
  const CheckResults first = check_with(gpus, context);
  CHECK(lines_of(first).empty());
  context.before = first.counters;
  gpus.gpus[1].ecc_corrected = 511;
  gpus.gpus[0].pcie_replays = 11;
  const CheckResults second = check_with(gpus, context);
  CHECK(lines_of(second) ==
        Lines{"gpu-ecc-corrected GPU 1 0000:05:00.0: 11 new corrected memory errors",
              "pcie-replays GPU 0 0000:04:00.0: 11 new PCIe replays"});
  CHECK(second.findings.at(0).event);
  context.before = second.counters;
  gpus.gpus[1].ecc_corrected = 300;
  CHECK(lines_of(check_with(gpus, context)).empty());
}

TEST_CASE("gpu checks: a process on a job's GPU is found, whether it lives or is stuck") {
  Context context = context_with();
  context.job_gpus = {1};
  Gpus gpus = healthy_gpus();
  gpus.gpus[0].processes = {{1, false}};
  CHECK(lines_of(check_with(gpus, context)).empty());
  gpus.gpus[1].processes = {{1, false}};
  CHECK(lines_of(check_with(gpus, context)) ==
        Lines{"gpu-busy GPU 1 0000:05:00.0: process 1 uses the GPU"});
  gpus.gpus[1].processes = {{4'194'305, true}};
  CHECK(lines_of(check_with(gpus, context)) ==
        Lines{"gpu-stuck GPU 1 0000:05:00.0: process 4194305 has ended but still holds the GPU"});
}

TEST_CASE("gpu checks: the driver version is checked if the policy has one") {
  const CheckResults results =
      check_with(healthy_gpus(), context_with("limits: {driver_major: 580}\n"));
  CHECK(lines_of(results) ==
        Lines{"driver-version NVML: driver 570.86.15, the policy expects 580"});
}
