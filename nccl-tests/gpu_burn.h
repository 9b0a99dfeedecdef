// A burn: the GPUs of this node compute at full load for a while, and every result is checked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace slipway::bandwidth {

// What a GPU did while it burned. What NVML does not say is empty.
struct BurnedGpu {
  int index = 0;       // as CUDA counts the GPUs that the process sees
  std::string bus;     // "0000:07:00.0"
  std::string model;   // "NVIDIA H100 80GB HBM3"
  std::string failed;  // the call that failed, with its CUDA error; empty if none
  int64_t repetitions = 0, wrong_repetitions = 0;
  double tflop_per_s = 0;           // single precision, by the GPU's own clock; 1e12
  std::optional<unsigned> celsius;  // the highest that was read
  std::optional<unsigned> sm_mhz;   // the lowest clock while it computed
  uint64_t throttled = 0;           // reasons while it computed, as NVML's bits
  uint64_t ecc_corrected = 0, ecc_uncorrected = 0;  // memory errors since it began
  std::string lost;  // NVML's error if it cannot be read any more: "GPU is lost"
};

// The bus IDs of the GPUs that this process sees; throws Error if CUDA fails. None without CUDA.
std::vector<std::string> gpus_to_burn();

// Burns those of these GPUs that this process sees, all at the same time. May hang with the driver.
std::vector<BurnedGpu> burn_gpus(const std::vector<std::string>& buses, double seconds);

// How a process sends what it burned, in one line. Throws Error if the text is not what it sent.
std::string to_text(const std::vector<BurnedGpu>& gpus);
std::vector<BurnedGpu> parse_burned_gpus(const std::string& text);

}  // namespace slipway::bandwidth
