// Writes the state of a node's simulated GPUs and its kernel log.
#include "launcher/local/gpu_state.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>

#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/fd.h"
#include "common/file.h"
#include "common/node_profile.h"

namespace slipway::local {
namespace {

using nlohmann::json;

// FNV-1a, so that a GPU has the same identity in every deployment with the same name.
uint64_t hash_of(const std::string& text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const unsigned char c : text) hash = (hash ^ c) * 0x100000001b3;
  return hash;
}

std::string uuid_of(const std::string& node, size_t index) {
  const uint64_t a = hash_of(fmt::format("{}/{}", node, index));
  const uint64_t b = hash_of(fmt::format("{:x}", a));
  return fmt::format("GPU-{:08x}-{:04x}-{:04x}-{:04x}-{:012x}", a >> 32, (a >> 16) & 0xffff,
                     a & 0xffff, b >> 48, b & 0xffffffffffff);
}

// The loader looks for NVIDIA's library under this name and finds the simulated one.
constexpr const char* nvml_name = "libnvidia-ml.so.1";
#if defined(__aarch64__)
const std::filesystem::path nvml_folder = "/usr/lib/aarch64-linux-gnu";
#else
const std::filesystem::path nvml_folder = "/usr/lib/x86_64-linux-gnu";
#endif

std::filesystem::path file_of(const std::filesystem::path& gpus, const PlannedNode& node) {
  return gpus / node.name / "gpus.json";
}

// A field of the state without its fault, and with it.
json healthy_value(const FaultKind& kind) {
  return kind.healthy ? json(*kind.healthy) : json(false);
}

json broken_value(const FaultKind& kind, const Fault& fault) {
  return kind.healthy ? json(std::stoi(fault.arguments.at(1))) : json(true);
}

json& gpu_at(json& state, const Fault& fault, const PlannedNode& node) {
  json& gpus = state.at("gpus");
  const auto index = static_cast<size_t>(fault_number(fault.arguments.at(0), 999));
  if (index < gpus.size()) return gpus[index];
  throw Error(fmt::format("node {} has {} GPUs, numbered from 0", node.name, gpus.size()));
}

}  // namespace

json healthy_gpus(const PlannedNode& node) {
  const NodeProfile profile = parse_node_profile(node.node_json, "node.json");
  json gpus = json::array();
  for (size_t i = 0; i < node.gpu_devices.size(); ++i) {
    json gpu = {{"uuid", uuid_of(node.name, i)},
                {"name", "simulated " + profile.gpus.model},
                {"pci_bus", 4 + i},
                {"xids", json::array()}};
    for (const FaultKind& kind : fault_kinds()) {
      if (kind.effect == Effect::gpu) gpu[kind.field] = healthy_value(kind);
    }
    gpus.push_back(std::move(gpu));
  }
  json state = {
      {"schema", "slipway/gpus/1"}, {"driver_version", "0.simulated"}, {"gpus", std::move(gpus)}};
  for (const FaultKind& kind : fault_kinds()) {
    if (kind.effect == Effect::driver) state[kind.field] = healthy_value(kind);
  }
  return state;
}

void prepare_gpus(const std::filesystem::path& gpus, const PlannedNode& node) {
  const std::filesystem::path file = file_of(gpus, node);
  if (std::filesystem::exists(file)) return;
  make_directories(file.parent_path());
  write_file(file, healthy_gpus(node).dump(1) + "\n");
}

void show_gpus(const std::filesystem::path& gpus, const PlannedNode& node,
               const std::filesystem::path& prefix, NodeRoot& root) {
  if (node.gpu_devices.empty()) return;
  root.null_devices = node.gpu_devices;
  root.null_devices.insert(root.null_devices.end(), {"/dev/nvidiactl", "/dev/nvidia-uvm"});
  root.binds.push_back({gpus / node.name, simulated_gpus_folder, true});
  const std::filesystem::path simulated = prefix / "lib/slipway/simulated";
  root.binds.push_back({simulated / nvml_name, nvml_folder / nvml_name, true});
  for (const char* program : {"nvidia-smi", "dcgmi"}) {
    root.binds.push_back({simulated / program, std::filesystem::path("/usr/bin") / program, true});
  }
}

void begin_kernel_log(const std::filesystem::path& gpus, const PlannedNode& node) {
  make_directories(gpus / node.name);
  write_file(kernel_log_of(gpus, node), "");
}

void say_in_kernel_log(const std::filesystem::path& gpus, const PlannedNode& node,
                       const KernelLine& said) {
  // Truncate in place: the node has this very file mounted.
  const Fd log(
      ::open(kernel_log_of(gpus, node).c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  if (!log) throw_errno(fmt::format("cannot write the kernel log of {}", node.name));
  const std::string before = read_file(kernel_log_of(gpus, node));
  const auto number = std::ranges::count(before, '\n');
  const std::string line = fmt::format("{},{},{},-;{}\n", said.level, number, number, said.text);
  if (::write(log.get(), line.data(), line.size()) < 0) throw_errno("write");
}

std::filesystem::path kernel_log_of(const std::filesystem::path& gpus, const PlannedNode& node) {
  return gpus / node.name / "kmsg";
}

void change_gpus(const std::filesystem::path& gpus, const PlannedNode& node, const Fault& fault,
                 bool begin) {
  if (node.gpu_devices.empty()) throw Error(fmt::format("node {} has no GPU", node.name));
  prepare_gpus(gpus, node);
  json state = json::parse(read_file(file_of(gpus, node)));
  const FaultKind& kind = kind_of(fault);
  if (kind.effect == Effect::gpu) {
    gpu_at(state, fault, node)[kind.field] =
        begin ? broken_value(kind, fault) : healthy_value(kind);
  } else if (kind.effect == Effect::driver) {
    state[kind.field] = begin ? broken_value(kind, fault) : healthy_value(kind);
  } else if (kind.effect == Effect::xid) {
    // Each Xid is an event, which every waiting process sees once. Cleared Xids are not shown to
    // processes that start later.
    json& xids = gpu_at(state, fault, node).at("xids");
    if (begin) {
      state["events"] = state.value("events", 0) + 1;
      xids.push_back({{"number", state["events"]}, {"xid", std::stoi(fault.arguments.at(1))}});
      constexpr int default_level = 4;  // the driver sets none
      say_in_kernel_log(
          gpus, node,
          {default_level, fmt::format("NVRM: Xid (PCI:0000:{:02x}:00): {}, simulated",
                                      gpu_at(state, fault, node).at("pci_bus").get<int>(),
                                      fault.arguments.at(1))});
    } else {
      xids = json::array();
    }
  }
  write_file(file_of(gpus, node), state.dump(1) + "\n");
}

}  // namespace slipway::local
