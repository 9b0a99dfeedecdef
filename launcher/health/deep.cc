// Runs the deep checks: CUDA on each GPU, a collective, DCGM.
#include "launcher/health/deep.h"

#include <fmt/core.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/file.h"
#include "common/installation.h"
#include "common/process.h"
#include "common/text.h"

namespace slipway::health {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int most_ranks = 8;

ProcessResult run_until(Clock::time_point end, const std::vector<std::string>& argv) {
  ProcessOptions options;
  options.deadline = std::max(std::chrono::milliseconds(1),
                              std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()));
  return run_process(argv, options);
}

bool is_installed(const std::string& program) {
  for (const char* folder : {"/usr/local/bin", "/usr/bin"}) {
    if (::access(fmt::format("{}/{}", folder, program).c_str(), X_OK) == 0) return true;
  }
  return false;
}

std::string_view last_line(const ProcessResult& result) {
  return last_line_of(result.errors.empty() ? result.output : result.errors);
}

// A temporary folder, removed with this object.
class Scratch {
 public:
  Scratch() {
    if (::mkdtemp(path_.data()) == nullptr) throw_errno("cannot create a folder in /tmp");
  }
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::filesystem::path operator/(const char* name) const {
    return std::filesystem::path(path_) / name;
  }

 private:
  std::string path_ = "/tmp/slipway-health.XXXXXX";
};

// Runs all_gather with all ranks on this node; their data is in host memory.
void collective(CheckRun& run, Clock::time_point end) {
  const auto program = find_installation().programs() / "all_gather_perf";
  if (!is_installed("mpirun") || ::access(program.c_str(), X_OK) != 0) {
    return run.skip("mpirun or all_gather_perf is not installed");
  }
  const Scratch scratch;
  const auto ranks = std::clamp<int64_t>(run.context.profile.gpus.count, 2, most_ranks);
  // Open MPI 5 does not start without HOME, which a prolog and a job with --export=NONE lack.
  const ProcessResult result = run_until(
      end, {"/usr/bin/env", "HOME=" + (scratch / "").string(), "mpirun", "--allow-run-as-root",
            "--oversubscribe", "-n", std::to_string(ranks), program.string(), "--minbytes", "32M",
            "--maxbytes", "32M", "--report", (scratch / "report.json").string()});
  if (result.timed_out) {
    return run.find("collective-slow", "all_gather", "timed out");
  }
  if (result.exit_code == 3) return run.skip(fmt::format("could not run: {}", last_line(result)));
  if (!result.ok()) {
    return run.find("collective-slow", "all_gather",
                    fmt::format("exit status {}: {}", result.exit_code, last_line(result)));
  }
  const auto report = nlohmann::json::parse(read_file(scratch / "report.json"));
  const double busbw = report.at("average_busbw_gb_per_s");
  run.fact("all_gather_busbw_gb_per_s", fmt::format("{:.2f}", busbw));
  if (busbw < run.limit("collective_gb_per_s")) {
    run.find("collective-slow", "all_gather",
             fmt::format("{:.2f} GB/s, expected {:g}", busbw, run.limit("collective_gb_per_s")));
  }
}

// Level 2 takes about two minutes: DCGM's user guide, "Run Levels and Tests".
void dcgm(CheckRun& run, Clock::time_point end) {
  if (!is_installed("dcgmi")) return run.skip("dcgmi is not installed");
  const ProcessResult result = run_until(end, {"dcgmi", "diag", "-r", "2"});
  if (result.timed_out) {
    run.find("dcgm-failed", "dcgmi", "diag -r 2 timed out");
  } else if (!result.ok()) {
    run.find("dcgm-failed", "dcgmi",
             fmt::format("diag -r 2: exit status {}: {}", result.exit_code, last_line(result)));
  }
}

// The lowest right speed, from a limit or from what the GPU's model reaches; 0: not judged.
struct LeastSpeed {
  double gb_per_s = 0;
  std::string why;  // for messages
};

LeastSpeed least_speed(const CheckRun& run, const std::string& limit, double GpuModel::*of_model) {
  if (run.limit(limit) > 0)
    return {run.limit(limit), fmt::format("expected {:g}", run.limit(limit))};
  const auto& models = run.context.policy.gpu_models;
  const auto model = models.find(run.context.profile.gpus.model);
  if (model == models.end() || model->second.*of_model <= 0) return {};
  const double reached = model->second.*of_model;
  const double tolerance = run.limit("gpu_speed_tolerance_percent");
  return {reached * (1 - tolerance / 100),
          fmt::format("this model reaches {:g}, less {:g} %", reached, tolerance)};
}

void judge_speeds(const CudaGpu& gpu, const std::string& label, CheckRun& run) {
  const LeastSpeed memory = least_speed(run, "gpu_memory_gb_per_s", &GpuModel::memory_gb_per_s);
  const LeastSpeed host = least_speed(run, "gpu_host_gb_per_s", &GpuModel::host_gb_per_s);
  struct Measured {
    const char* fact;
    double gb_per_s;
    int decimals;
    const char* what;
    const LeastSpeed& least;
  };
  for (const Measured& one : {Measured{"memory", gpu.copy_gb_per_s, 0, "within GPU memory", memory},
                              Measured{"host", gpu.host_gb_per_s, 1, "from the host", host},
                              Measured{"to_host", gpu.to_host_gb_per_s, 1, "to the host", host}}) {
    const std::string speed = fmt::format("{:.{}f}", one.gb_per_s, one.decimals);
    run.fact(fmt::format("{}_gb_per_s/{}", one.fact, label), speed);
    if (one.gb_per_s < one.least.gb_per_s)
      run.find("gpu-memory-slow", label,
               fmt::format("{} GB/s {}, {}", speed, one.what, one.least.why));
  }
  if (memory.why.empty()) run.fact("memory_gb_per_s", "not judged: no figure for this GPU model");
  if (host.why.empty()) run.fact("host_gb_per_s", "not judged: no figure for this GPU model");
}

}  // namespace

void check_cuda(const CudaResult& cuda, CheckRun& run) {
  run.begin("cuda");
  if (!cuda.missing.empty()) return run.skip(cuda.missing);
  for (const CudaGpu& gpu : cuda.gpus) {
    const std::string label = fmt::format("GPU {}", gpu.index);
    if (!gpu.failed.empty()) {
      run.find("gpu-wrong-result", label, gpu.failed);
      continue;
    }
    if (!gpu.right) run.find("gpu-wrong-result", label, "wrong result");
    if (!gpu.wrong_copy.empty())
      run.find("gpu-wrong-result", label, "copies with wrong data: " + gpu.wrong_copy);
    judge_speeds(gpu, label, run);
  }
}

std::vector<Family> deep_families(const Context& context, Clock::time_point end) {
  std::vector<Family> families;
  if (context.profile.gpus.count > 0) {
    families.push_back({"cuda", "driver-hang", [](CheckRun& run, const Doing& doing) {
                          check_cuda(run_cuda(doing), run);
                        }});
  }
  families.push_back({"collective", "collective-slow", [end](CheckRun& run, const Doing& doing) {
                        doing("running all_gather_perf");
                        run.begin("collective");
                        collective(run, end);
                      }});
  if (context.profile.gpus.count > 0) {
    families.push_back({"dcgm", "dcgm-failed", [end](CheckRun& run, const Doing& doing) {
                          doing("running dcgmi");
                          run.begin("dcgm");
                          dcgm(run, end);
                        }});
  }
  return families;
}

}  // namespace slipway::health
