// nvidia-smi without options, and -L: the tables that people look at.
#include "launcher/gpu_programs/views.h"

namespace slipway::gpu_programs {
namespace {

constexpr auto table_rule =
    "+-----------------------------------------+------------------------+"
    "----------------------+\n";
constexpr auto wide =
    "+-----------------------------------------------------------------------"
    "------------------+\n";

std::string number_of(const Device& gpu, const char* field) {
  const auto value = find_field(gpu_fields(), field)->read({gpu, nullptr});
  return value.value_or("N/A");
}

// "70" of "70.00".
std::string whole(const std::string& number) {
  return number.substr(0, number.find('.'));
}

std::string with(const std::string& number, const char* unit) {
  return number == "N/A" ? number : number + unit;
}

std::string short_mode(const std::string& mode) {
  return mode == "Enabled" ? "On" : mode == "Disabled" ? "Off" : mode;
}

std::string rows_of(const Device& gpu) {
  const auto value = [&](const char* field) { return number_of(gpu, field); };
  std::string text = fmt::format("| {:>3}  {:<26.26}{:>8} | {:>18} Off | {:>20} |\n", gpu.index,
                                 value("name"), short_mode(value("persistence_mode")), gpu.bus,
                                 value("ecc.errors.uncorrected.volatile.total"));
  const std::string temperature = with(value("temperature.gpu"), "C");
  const std::string power =
      fmt::format("{} / {}", with(whole(value("power.draw")), "W"),
                  fmt::format("{:>5}", with(whole(value("power.limit")), "W")));
  const std::string memory = fmt::format("{} / {}", with(value("memory.used"), "MiB"),
                                         fmt::format("{:>9}", with(value("memory.total"), "MiB")));
  text += fmt::format("| {:<4}{:>5}    {:<4}{:>22} | {:>22} | {:>7}{:>13} |\n",
                      with(value("fan.speed"), "%"), temperature, value("pstate"), power, memory,
                      with(value("utilization.gpu"), "%"), value("compute_mode"));
  text += fmt::format("| {:39} | {:22} | {:>20} |\n", "", "", value("mig.mode.current"));
  return text + table_rule;
}

std::string process_rows(const std::vector<Device>& gpus) {
  std::string text;
  for (const Device& gpu : gpus) {
    for (const Process& process : processes_on(gpu)) {
      text += fmt::format("|{:>5}   N/A  N/A {:>15}      C   {:<33.33}{:>10}MiB |\n", gpu.index,
                          process.id, process.name, process.bytes >> 20);
    }
  }
  return text.empty() ? fmt::format("|  {:<87}|\n", "No running processes found") : text;
}

}  // namespace

std::string list(const std::vector<Device>& gpus) {
  std::string text;
  for (const Device& gpu : gpus) {
    text += gpu.handle == nullptr ? lost_text(gpu)
                                  : fmt::format("GPU {}: {} (UUID: {})\n", gpu.index,
                                                number_of(gpu, "name"), gpu.uuid);
  }
  return text;
}

std::string summary(const std::vector<Device>& gpus) {
  const nvml::Library& library = *gpus.front().library;
  const std::string driver = library.text("nvmlSystemGetDriverVersion");
  int cuda = 0;
  const bool has_cuda =
      library.call("nvmlSystemGetCudaDriverVersion_v2", &cuda) == NVML_SUCCESS && cuda > 0;
  std::string text = fmt::format("{}       \n", date_text()) + wide;
  text +=
      fmt::format("| NVIDIA-SMI {:<23}Driver Version: {:<15}CUDA Version: {:<9}|\n", driver, driver,
                  has_cuda ? fmt::format("{}.{}", cuda / 1000, cuda % 1000 / 10) : "N/A");
  text += table_rule;
  text += fmt::format("| {:<39} | {:<22} | {:<20} |\n", "GPU  Name                 Persistence-M",
                      "Bus-Id          Disp.A", "Volatile Uncorr. ECC");
  text += fmt::format("| {:<39} | {:>22} | {:<20} |\n", "Fan  Temp   Perf          Pwr:Usage/Cap",
                      "Memory-Usage", "GPU-Util  Compute M.");
  text += fmt::format("| {:<39} | {:>22} | {:>20} |\n", "", "", "MIG M.");
  text +=
      "|=========================================+========================+"
      "======================|\n";
  for (const Device& gpu : gpus) text += rows_of(gpu);
  text += fmt::format("{:89}\n", "") + wide;
  text += fmt::format("| {:<88}|\n", "Processes:");
  text += fmt::format("|  {:<87}|\n",
                      "GPU   GI   CI              PID   Type   Process name                        "
                      "GPU Memory");
  text += fmt::format("|  {:<87}|\n",
                      "      ID   ID                                                               "
                      "Usage");
  text += fmt::format("|{:=<89}|\n", "");
  return text + process_rows(gpus) + wide;
}

}  // namespace slipway::gpu_programs
