// The GPUs that nvidia-smi and dcgmi show, and how the two programs fail.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "launcher/simulated_nvml/beyond_nvml.h"
#include "launcher/simulated_nvml/library.h"

namespace slipway::gpu_programs {

// Ends the program: prints the text to stdout, as nvidia-smi does, and exits with the status.
struct Exit : std::runtime_error {
  Exit(int with, const std::string& text) : std::runtime_error(text), status(with) {}
  int status;
};

// Exit statuses of nvidia-smi: its manual page, section RETURN VALUE.
constexpr int invalid_argument = 2, not_available = 3, no_permission = 4, not_found = 6,
              no_driver = 9, no_library = 12, gpu_is_lost = 15;

// For what the real program can do and this one cannot: says so, on stderr, and exits with 3.
[[noreturn]] void not_covered(const std::string& program, const std::string& what);

struct Device {
  const nvml::Library* library;
  unsigned index;
  nvmlDevice_t handle;    // null if the GPU is lost
  nvmlReturn_t found;     // why it is lost
  std::string bus, uuid;  // "00000000:04:00.0", "GPU-…"; of a lost GPU, only a simulated one's bus
};

// Loads and starts NVML. Throws Exit with what nvidia-smi prints if that fails.
void open_nvml(const nvml::Library& library);

// All GPUs, lost ones too, in NVML's order.
std::vector<Device> all_gpus(const nvml::Library& library);

// Those that `ids` lists: numbers, UUIDs and bus addresses, separated by commas. All if it is
// empty. Throws Exit if there is none.
std::vector<Device> choose(std::vector<Device> gpus, const std::string& ids);

// Throws Exit for the first GPU that is lost.
void require_all(const std::vector<Device>& gpus);
std::string lost_text(const Device& gpu);

struct Process {
  unsigned id;
  std::string name;  // "[Not Found]" outside of this process's namespace
  unsigned long long bytes;
};
std::vector<Process> processes_on(const Device& gpu);

std::vector<std::string> split_list(const std::string& text);

// "Tue Nov 24 02:11:17 2026", and "2026/11/24 02:11:17.123".
std::string date_text();
std::string timestamp_text();

}  // namespace slipway::gpu_programs
