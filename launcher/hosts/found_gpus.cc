// Finds a machine's GPUs.
#include "launcher/hosts/found_gpus.h"

#include <fmt/core.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "common/child.h"
#include "common/error.h"
#include "common/fd.h"
#include "common/json.h"
#include "common/text.h"
#include "launcher/health/family_process.h"

namespace slipway::hosts {
namespace {

using nlohmann::json;

[[noreturn]] void answer(int words) {
  health::isolate_child(words);
  const health::Gpus gpus = health::read_gpus([](const std::string&) {});
  json all = json::array();
  for (const health::GpuReading& gpu : gpus.gpus) {
    all.push_back({{"bus", gpu.bus}, {"name", gpu.name}, {"lost", gpu.lost}});
  }
  const std::string text = json{{"error", gpus.error}, {"gpus", all}}.dump(
      -1, ' ', false, json::error_handler_t::replace);
  size_t done = 0;
  while (done < text.size()) {
    const ssize_t n = ::write(words, text.data() + done, text.size() - done);
    if (n <= 0) break;
    done += static_cast<size_t>(n);
  }
  ::_exit(0);
}

health::Gpus from_answer(const std::string& text) {
  health::Gpus gpus;
  const json body = parse_json(text);
  const JsonValue j(body);
  gpus.error = j.at("error").text();
  for (const JsonValue& item : j.at("gpus").items()) {
    health::GpuReading& gpu = gpus.gpus.emplace_back();
    gpu.index = static_cast<unsigned>(gpus.gpus.size() - 1);
    gpu.bus = item.at("bus").text();
    gpu.name = item.at("name").text();
    gpu.lost = item.at("lost").text();
  }
  return gpus;
}

// The number in /dev/nvidiaN, from the driver's folder of a GPU; empty without the driver.
std::optional<int64_t> minor_of(const health::Machine& machine, const std::string& address) {
  const auto text =
      machine.read(std::filesystem::path(health::driver_gpus_folder) / address / "information");
  if (!text) return std::nullopt;
  for (const std::string& line : split(*text, '\n')) {
    if (!line.starts_with("Device Minor:")) continue;
    return to_number<int64_t>(trim(std::string_view(line).substr(line.find(':') + 1)));
  }
  return std::nullopt;
}

// "nvidia-h100-nvl" for a model that the catalogue does not know.
std::string name_as_model(const std::string& nvml_name) {
  std::string model = to_lower(nvml_name);
  const auto is_other = [](unsigned char c) { return std::isalnum(c) == 0; };
  std::ranges::replace_if(model, is_other, '-');
  return model;
}

void name_models(FoundGpus& found, const std::string& device, const std::string& name,
                 const HardwareTable& table) {
  if (const HardwareTable::Gpu* row = device.empty() ? nullptr : table.by_device(device)) {
    found.models = row->models;
    found.model_origin = fmt::format("PCI device {}", device);
  } else if (const HardwareTable::Gpu* named = name.empty() ? nullptr : table.by_name(name)) {
    found.models = named->models;
    found.model_origin = fmt::format("NVML: {}", name);
  } else {
    found.models = {name.empty() ? "gpu-" + device : name_as_model(name)};
    found.model_origin =
        name.empty() ? fmt::format("PCI device {}", device) : fmt::format("NVML: {}", name);
    found.warnings.push_back(
        fmt::format("GPU model {} is not in hardware.yaml of the catalogue: health checks know no "
                    "expected links and speeds for it",
                    found.models[0]));
  }
}

}  // namespace

health::Gpus ask_nvml(std::chrono::milliseconds deadline) {
  Pipe pipe = make_pipe();
  const pid_t child = fork_child("reading GPUs");
  if (child == 0) answer(pipe.write.get());
  pipe.write.reset();
  std::string text;
  const auto end = std::chrono::steady_clock::now() + deadline;
  while (pipe.read) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        end - std::chrono::steady_clock::now());
    pollfd wait{pipe.read.get(), POLLIN, 0};
    if (left.count() <= 0 || ::poll(&wait, 1, static_cast<int>(left.count())) == 0) break;
    read_some(pipe.read, text);
  }
  const bool hangs = static_cast<bool>(pipe.read);
  ::kill(child, SIGKILL);
  health::reap_killed(child);
  health::Gpus none;
  none.error = hangs ? "NVML does not answer" : "NVML's process ended";
  if (hangs || text.empty()) return none;
  return from_answer(text);
}

FoundGpus find_gpus(const health::Machine& machine, const std::vector<PciDevice>& devices,
                    const health::Gpus& nvml, const HardwareTable& table) {
  std::map<std::string, PciDevice> on_bus;
  for (const PciDevice& device : devices) {
    if (table.gpu_vendors.contains(device.vendor) && table.gpu_classes.contains(device.kind)) {
      on_bus.emplace(device.address, device);
    }
  }
  FoundGpus found;
  std::string name;
  if (!nvml.gpus.empty()) {
    found.origin = "NVML";
    for (const health::GpuReading& gpu : nvml.gpus) {
      const auto place = on_bus.find(gpu.bus);
      found.gpus.push_back(
          {gpu.bus, "", place == on_bus.end() ? std::nullopt : std::optional(place->second)});
      if (name.empty()) name = gpu.name;
      if (!gpu.lost.empty()) {
        found.warnings.push_back(fmt::format("{}: {}", gpu.label(), gpu.lost));
      }
    }
    if (nvml.gpus.size() < on_bus.size()) {
      found.warnings.push_back(
          fmt::format("the PCI bus has {} GPUs, NVML only {}", on_bus.size(), nvml.gpus.size()));
    }
  } else {
    for (const auto& [address, device] : on_bus) found.gpus.push_back({address, "", device});
    found.origin = "the PCI bus";
    if (!on_bus.empty() && !nvml.error.empty()) {
      found.warnings.push_back(
          fmt::format("the GPUs are on the PCI bus, but NVML does not list them: {}", nvml.error));
    }
  }
  if (found.gpus.empty()) return found;
  for (size_t i = 0; i < found.gpus.size(); ++i) {
    const auto minor = minor_of(machine, found.gpus[i].address);
    found.gpus[i].device = fmt::format("/dev/nvidia{}", minor.value_or(static_cast<int64_t>(i)));
  }
  const auto& place = found.gpus[0].place;
  name_models(found, place ? place->device : "", name, table);
  return found;
}

}  // namespace slipway::hosts
