// Which GPUs of a burn compute wrong, fail, or are slower than their equals.
#include "nccl-tests/burn_verdict.h"

#include <algorithm>

#include <fmt/core.h>

#include "common/count.h"
#include "common/median.h"
#include "launcher/health/gpus.h"

namespace slipway::bandwidth {
namespace {

std::string label_of(const BurnedGpu& gpu) {
  return fmt::format("GPU {} ({})", gpu.index, gpu.bus);
}

class BurnJudge {
 public:
  BurnJudge(const std::vector<NodeBurn>& nodes, double detect) : nodes_(nodes), detect_(detect) {}

  std::vector<BurnFinding> take() {
    for (const NodeBurn& node : nodes_) {
      if (node.has_failed) found_.push_back({node.node, "GPU burn: " + node.missing});
      for (const BurnedGpu& gpu : node.gpus) judge_gpu(node, gpu);
    }
    return std::move(found_);
  }

 private:
  void add(const NodeBurn& node, const BurnedGpu& gpu, const std::string& what) {
    found_.push_back({node.node, fmt::format("{} {}", label_of(gpu), what)});
  }

  void judge_gpu(const NodeBurn& node, const BurnedGpu& gpu) {
    if (!gpu.lost.empty()) add(node, gpu, fmt::format("was lost while it computed: {}", gpu.lost));
    if (!gpu.failed.empty()) add(node, gpu, fmt::format("failed: {}", gpu.failed));
    if (gpu.wrong_repetitions > 0) {
      add(node, gpu,
          fmt::format("computed wrong results in {} of {} repetitions", gpu.wrong_repetitions,
                      gpu.repetitions));
    }
    if (gpu.ecc_uncorrected > 0) {
      add(node, gpu,
          fmt::format("had {} while it computed",
                      counted(gpu.ecc_uncorrected, "uncorrectable memory error")));
    }
    if (gpu.failed.empty()) judge_speed(node, gpu);
  }

  void judge_speed(const NodeBurn& node, const BurnedGpu& gpu) {
    const std::string throttled = health::throttle_words(gpu.throttled);
    const double equals =
        std::max(median_of_equals(node, gpu, true), median_of_equals(node, gpu, false));
    if (gpu.tflop_per_s < (1 - detect_) * equals) {
      add(node, gpu,
          fmt::format("computes {:.3g} TFLOP/s, its equals {:.3g}{}", gpu.tflop_per_s, equals,
                      conditions(gpu, throttled)));
    } else if (!throttled.empty()) {
      add(node, gpu, fmt::format("is throttled{}", conditions(gpu, throttled)));
    }
  }

  // "; throttled: too hot (hardware), 345 MHz, 91 °C"
  static std::string conditions(const BurnedGpu& gpu, const std::string& throttled) {
    std::string text = throttled.empty() ? ": clocks not throttled" : ": " + throttled;
    if (gpu.sm_mhz) text += fmt::format(", {} MHz", *gpu.sm_mhz);
    if (gpu.celsius) text += fmt::format(", {} °C", *gpu.celsius);
    return text;
  }

  // 0 if there are none.
  double median_of_equals(const NodeBurn& node, const BurnedGpu& gpu, bool on_its_node) const {
    std::vector<double> speeds;
    for (const NodeBurn& other : nodes_) {
      if (on_its_node && other.node != node.node) continue;
      for (const BurnedGpu& one : other.gpus) {
        if (&one == &gpu || one.model != gpu.model || !one.failed.empty()) continue;
        speeds.push_back(one.tflop_per_s);
      }
    }
    return median(speeds);
  }

  const std::vector<NodeBurn>& nodes_;
  double detect_;
  std::vector<BurnFinding> found_;
};

}  // namespace

std::vector<BurnFinding> judge_burn(const std::vector<NodeBurn>& nodes, double detect) {
  return BurnJudge(nodes, detect).take();
}

std::string burned_text(const std::vector<NodeBurn>& nodes) {
  size_t gpus = 0, with_gpus = 0;
  for (const NodeBurn& node : nodes) {
    gpus += node.gpus.size();
    if (!node.gpus.empty()) ++with_gpus;
  }
  return fmt::format("{} of {}", counted(gpus, "GPU"), counted(with_gpus, "node"));
}

}  // namespace slipway::bandwidth
