// The simulated GPUs of a node and its kernel log, kept in a file from which the simulated NVML
// library answers.
//
// <gpus>/<node>/gpus.json (schema slipway/gpus/1) is written here; the node sees it read-only as
// simulated_gpus_path.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>

#include "launcher/local/fault.h"
#include "launcher/local/node_root.h"
#include "launcher/local/plan.h"

namespace slipway::local {

// The folder in the node. The library has this path compiled in.
inline constexpr const char* simulated_gpus_folder = "/run/slipway-gpus";

// The healthy GPUs of a node, from its node profile. The same node always gets the same serial
// numbers.
nlohmann::json healthy_gpus(const PlannedNode& node);

// Writes the state of a node's GPUs unless the file exists. Throws Error.
void prepare_gpus(const std::filesystem::path& gpus, const PlannedNode& node);

// Adds what a node needs for its GPUs to its root: device files, their state, and the simulated
// library from the installation at `prefix`. Does nothing for a node without GPUs.
void show_gpus(const std::filesystem::path& gpus, const PlannedNode& node,
               const std::filesystem::path& prefix, NodeRoot& root);

// The node's kernel log, which it sees as /dev/kmsg, in that device's format. It starts empty with
// the node. These throw Error.
std::filesystem::path kernel_log_of(const std::filesystem::path& gpus, const PlannedNode& node);
void begin_kernel_log(const std::filesystem::path& gpus, const PlannedNode& node);
void say_in_kernel_log(const std::filesystem::path& gpus, const PlannedNode& node,
                       const KernelLine& line);

// Begins or ends a fault of GPUs or of NVML. Throws Error if the node has no such GPU.
void change_gpus(const std::filesystem::path& gpus, const PlannedNode& node, const Fault& fault,
                 bool begin);

}  // namespace slipway::local
