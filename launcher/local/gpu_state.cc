// The simulated GPUs of a node.
#include "launcher/local/gpu_state.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/file.h"
#include "common/node_profile.h"

namespace slipway::local {
namespace {

using nlohmann::json;

// FNV-1a, so that a GPU has the same identity in every deployment of the same name.
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

std::filesystem::path file_of(const std::filesystem::path& gpus, const PlannedNode& node) {
  return gpus / node.name / "gpus.json";
}

json& gpu_at(json& state, const Fault& fault, const PlannedNode& node) {
  json& gpus = state.at("gpus");
  const auto index = static_cast<size_t>(fault_number(fault.arguments.at(0), 999));
  if (index < gpus.size()) return gpus[index];
  throw Error(fmt::format("node {} has {} GPUs, from 0 on", node.name, gpus.size()));
}

}  // namespace

json healthy_gpus(const PlannedNode& node) {
  const NodeProfile profile = parse_node_profile(node.node_json, "node.json");
  json gpus = json::array();
  for (size_t i = 0; i < node.gpu_devices.size(); ++i) {
    gpus.push_back({{"uuid", uuid_of(node.name, i)},
                    {"name", "simulated " + profile.gpus.model},
                    {"pci_bus", 4 + i},
                    {"lost", false},
                    {"ecc_uncorrected", 0},
                    {"xids", json::array()}});
  }
  return {{"schema", "slipway/gpus/1"},
          {"driver_version", "0.simulated"},
          {"nvml_hangs", false},
          {"gpus", std::move(gpus)}};
}

void prepare_gpus(const std::filesystem::path& gpus, const PlannedNode& node) {
  const std::filesystem::path file = file_of(gpus, node);
  if (std::filesystem::exists(file)) return;
  make_directories(file.parent_path());
  write_file(file, healthy_gpus(node).dump(1) + "\n");
}

void change_gpus(const std::filesystem::path& gpus, const PlannedNode& node, const Fault& fault,
                 bool begin) {
  if (node.gpu_devices.empty()) throw Error(fmt::format("node {} has no GPU", node.name));
  prepare_gpus(gpus, node);
  json state = json::parse(read_file(file_of(gpus, node)));
  if (fault.kind == "nvml-hang") {
    state["nvml_hangs"] = begin;
  } else if (fault.kind == "gpu-lost") {
    gpu_at(state, fault, node)["lost"] = begin;
  } else if (fault.kind == "gpu-ecc") {
    gpu_at(state, fault, node)["ecc_uncorrected"] =
        begin ? fault_number(fault.arguments.at(1), 1'000'000) : 0;
  } else if (fault.kind == "gpu-xid") {
    // Each is an event: whoever waits for events sees it once. Cleared is what later ones see.
    json& xids = gpu_at(state, fault, node).at("xids");
    if (begin) {
      state["events"] = state.value("events", 0) + 1;
      xids.push_back(
          {{"number", state["events"]}, {"xid", fault_number(fault.arguments.at(1), 999)}});
    } else {
      xids = json::array();
    }
  }
  write_file(file_of(gpus, node), state.dump(1) + "\n");
}

}  // namespace slipway::local
