// Runs the deep checks: CUDA on each GPU, a collective, DCGM.
#include "launcher/health/deep.h"

#include <fmt/format.h>
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

std::string last_line(const ProcessResult& result) {
  const std::string text(trim(result.errors.empty() ? result.output : result.errors));
  return text.substr(text.rfind('\n') == text.npos ? 0 : text.rfind('\n') + 1);
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
void collective(Looking& looking, Clock::time_point end) {
  const auto program = find_installation().programs() / "all_gather_perf";
  if (!is_installed("mpirun") || ::access(program.c_str(), X_OK) != 0) {
    return looking.skip("mpirun or all_gather_perf is not installed");
  }
  const Scratch scratch;
  const auto ranks = std::clamp<int64_t>(looking.context.profile.gpus.count, 2, most_ranks);
  const ProcessResult result =
      run_until(end, {"mpirun", "--allow-run-as-root", "--oversubscribe", "-n",
                      std::to_string(ranks), program.string(), "--minbytes", "32M", "--maxbytes",
                      "32M", "--report", (scratch / "report.json").string()});
  if (result.timed_out) {
    return looking.find("collective-slow", "all_gather", "timed out");
  }
  if (result.exit_code == 3) return looking.skip("could not run: " + last_line(result));
  if (!result.ok()) {
    return looking.find("collective-slow", "all_gather",
                        fmt::format("exit status {}: {}", result.exit_code, last_line(result)));
  }
  const auto report = nlohmann::json::parse(read_file(scratch / "report.json"));
  const double busbw = report.at("average_busbw_gb_per_s");
  looking.fact("all_gather_busbw_gb_per_s", fmt::format("{:.2f}", busbw));
  if (busbw < looking.limit("collective_gb_per_s")) {
    looking.find(
        "collective-slow", "all_gather",
        fmt::format("{:.2f} GB/s, expected {:g}", busbw, looking.limit("collective_gb_per_s")));
  }
}

// Level 2 takes about two minutes: DCGM's user guide, "Run Levels and Tests".
void dcgm(Looking& looking, Clock::time_point end) {
  if (!is_installed("dcgmi")) return looking.skip("dcgmi is not installed");
  const ProcessResult result = run_until(end, {"dcgmi", "diag", "-r", "2"});
  if (result.timed_out) {
    looking.find("dcgm-failed", "dcgmi", "diag -r 2 timed out");
  } else if (!result.ok()) {
    looking.find("dcgm-failed", "dcgmi",
                 fmt::format("diag -r 2: exit status {}: {}", result.exit_code, last_line(result)));
  }
}

}  // namespace

void check_cuda(const CudaResult& cuda, Looking& looking) {
  looking.begin("cuda");
  if (!cuda.missing.empty()) return looking.skip(cuda.missing);
  for (const CudaGpu& gpu : cuda.gpus) {
    const std::string label = fmt::format("GPU {}", gpu.index);
    if (!gpu.failed.empty()) {
      looking.find("gpu-wrong-result", label, gpu.failed);
      continue;
    }
    if (!gpu.right) looking.find("gpu-wrong-result", label, "wrong result");
    looking.fact(fmt::format("memory_gb_per_s/{}", label),
                 fmt::format("{:.0f}", gpu.copy_gb_per_s));
    looking.fact(fmt::format("host_gb_per_s/{}", label), fmt::format("{:.1f}", gpu.host_gb_per_s));
    if (gpu.copy_gb_per_s < looking.limit("gpu_memory_gb_per_s")) {
      looking.find("gpu-memory-slow", label,
                   fmt::format("{:.0f} GB/s within GPU memory, expected {:g}", gpu.copy_gb_per_s,
                               looking.limit("gpu_memory_gb_per_s")));
    }
    if (gpu.host_gb_per_s < looking.limit("gpu_host_gb_per_s")) {
      looking.find("gpu-memory-slow", label,
                   fmt::format("{:.1f} GB/s from the host, expected {:g}", gpu.host_gb_per_s,
                               looking.limit("gpu_host_gb_per_s")));
    }
  }
}

std::vector<Family> deep_families(const Context& context, Clock::time_point end) {
  std::vector<Family> families;
  if (context.profile.gpus.count > 0) {
    families.push_back({"cuda", "driver-hang", [](Looking& looking, const Doing& doing) {
                          check_cuda(run_cuda(doing), looking);
                        }});
  }
  families.push_back({"collective", "collective-slow", [end](Looking& looking, const Doing& doing) {
                        doing("running all_gather_perf");
                        looking.begin("collective");
                        collective(looking, end);
                      }});
  if (context.profile.gpus.count > 0) {
    families.push_back({"dcgm", "dcgm-failed", [end](Looking& looking, const Doing& doing) {
                          doing("running dcgmi");
                          looking.begin("dcgm");
                          dcgm(looking, end);
                        }});
  }
  return families;
}

}  // namespace slipway::health
