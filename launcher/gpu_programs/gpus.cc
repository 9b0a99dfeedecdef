// Finds GPUs through NVML for nvidia-smi and dcgmi.
#include "launcher/gpu_programs/gpus.h"

#include <strings.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <fstream>

namespace slipway::gpu_programs {
namespace {

constexpr unsigned most_processes = 256;

Device device_at(const nvml::Library& library, unsigned index) {
  Device gpu{&library, index, nullptr, NVML_SUCCESS, "", ""};
  gpu.found = library.call("nvmlDeviceGetHandleByIndex_v2", index, &gpu.handle);
  if (gpu.found == NVML_SUCCESS) {
    const auto pci = library.ask<nvmlPciInfo_t>("nvmlDeviceGetPciInfo_v3", gpu.handle);
    if (pci) gpu.bus = pci->busId;
    gpu.uuid = library.text("nvmlDeviceGetUUID", gpu.handle);
    return gpu;
  }
  gpu.handle = nullptr;
  SimulatedGpu simulated = {};
  const auto ask = library.find<decltype(&slipway_simulated_gpu)>("slipway_simulated_gpu");
  if (ask != nullptr && ask(index, &simulated) == 1) {
    gpu.bus = fmt::format("00000000:{:02X}:00.0", simulated.pci_bus);
  }
  return gpu;
}

bool is_number(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

// "0000:04:00.0" and "04:00.0" are 00000000:04:00.0, too.
bool is_bus(const std::string& text, const std::string& bus) {
  return text.size() >= 7 && text.size() <= bus.size() &&
         ::strcasecmp(text.c_str(), bus.c_str() + (bus.size() - text.size())) == 0;
}

bool is_meant(const std::string& id, const Device& gpu) {
  if (is_number(id)) return id == std::to_string(gpu.index);
  return (!gpu.uuid.empty() && id == gpu.uuid) || is_bus(id, gpu.bus);
}

std::string name_of_process(unsigned id) {
  std::ifstream file(fmt::format("/proc/{}/cmdline", id));
  std::string name;
  std::getline(file, name, '\0');
  return name.empty() ? "[Not Found]" : name;
}

std::string format_time(const char* format) {
  const std::time_t now = std::time(nullptr);
  std::tm local = {};
  ::localtime_r(&now, &local);
  char text[64] = {};
  return std::string(text, std::strftime(text, sizeof text, format, &local));
}

}  // namespace

void not_covered(const std::string& program, const std::string& what) {
  fmt::print(stderr,
             "{}: {} is not covered: this is Slipway's program for nodes with simulated GPUs, not "
             "NVIDIA's\n",
             program, what);
  throw Exit(not_available, "");
}

void open_nvml(const nvml::Library& library) {
  if (!library) {
    throw Exit(no_library,
               "NVIDIA-SMI couldn't find libnvidia-ml.so library in your system. Please make sure "
               "that the NVIDIA Display Driver is properly installed and present in your "
               "system.\nPlease also try adding directory that contains libnvidia-ml.so to your "
               "system PATH.\n");
  }
  const nvmlReturn_t code = library.call("nvmlInit_v2");
  if (code == NVML_SUCCESS) return;
  if (code == NVML_ERROR_DRIVER_NOT_LOADED) {
    throw Exit(no_driver,
               "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make "
               "sure that the latest NVIDIA driver is installed and running.\n\n");
  }
  throw Exit(static_cast<int>(code),
             fmt::format("Failed to initialize NVML: {}\n", library.words_of(code)));
}

std::vector<Device> all_gpus(const nvml::Library& library) {
  std::vector<Device> gpus;
  const unsigned count = library.ask<unsigned>("nvmlDeviceGetCount_v2").value_or(0);
  for (unsigned i = 0; i < count; ++i) gpus.push_back(device_at(library, i));
  return gpus;
}

std::vector<Device> choose(std::vector<Device> gpus, const std::string& ids) {
  if (!ids.empty()) {
    const std::vector<std::string> wanted = split_list(ids);
    std::erase_if(gpus, [&](const Device& gpu) {
      return std::ranges::none_of(wanted, [&](const auto& id) { return is_meant(id, gpu); });
    });
  }
  if (gpus.empty()) throw Exit(not_found, "No devices were found\n");
  return gpus;
}

std::string lost_text(const Device& gpu) {
  const std::string name = gpu.bus.empty() ? fmt::format(" {}", gpu.index) : gpu.bus.substr(4);
  std::string why = gpu.library->words_of(gpu.found);
  if (gpu.found == NVML_ERROR_GPU_IS_LOST) why += ".  Reboot the system to recover this GPU";
  return fmt::format("Unable to determine the device handle for GPU{}: {}\n", name, why);
}

void require_all(const std::vector<Device>& gpus) {
  for (const Device& gpu : gpus) {
    if (gpu.handle != nullptr) continue;
    throw Exit(gpu.found == NVML_ERROR_GPU_IS_LOST ? gpu_is_lost : 255, lost_text(gpu));
  }
}

std::vector<Process> processes_on(const Device& gpu) {
  std::vector<nvmlProcessInfo_t> found(most_processes);
  unsigned count = most_processes;
  std::vector<Process> processes;
  if (gpu.library->call("nvmlDeviceGetComputeRunningProcesses_v3", gpu.handle, &count,
                        found.data()) != NVML_SUCCESS) {
    return processes;
  }
  for (unsigned i = 0; i < std::min(count, most_processes); ++i) {
    processes.push_back({found[i].pid, name_of_process(found[i].pid), found[i].usedGpuMemory});
  }
  return processes;
}

std::vector<std::string> split_list(const std::string& text) {
  std::vector<std::string> words;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    std::string word = text.substr(begin, end - begin);
    word.erase(0, word.find_first_not_of(' '));
    word.erase(word.find_last_not_of(' ') + 1);
    if (!word.empty()) words.push_back(word);
    begin = end + 1;
  }
  return words;
}

std::string date_text() {
  return format_time("%a %b %e %H:%M:%S %Y");
}

std::string timestamp_text() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
  return format_time("%Y/%m/%d %H:%M:%S") + fmt::format(".{:03}", milliseconds % 1000);
}

}  // namespace slipway::gpu_programs
