// The simulated GPUs of a node, and what its kernel says: a file that the simulated NVML library
// answers from.
//
// <gpus>/<node>/gpus.json, schema slipway/gpus/1, is written here and seen by the node, read-only,
// as simulated_gpus_path.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>

#include "launcher/local/fault.h"
#include "launcher/local/node_root.h"
#include "launcher/local/plan.h"

namespace slipway::local {

// As the node has it; the library knows this path, too.
inline constexpr const char* simulated_gpus_folder = "/run/slipway-gpus";

// Healthy GPUs of a node, by its profile. Equal for equal nodes, but for serial numbers.
nlohmann::json healthy_gpus(const PlannedNode& node);

// Writes the state of a node's GPUs, unless it is there. Throws Error.
void prepare_gpus(const std::filesystem::path& gpus, const PlannedNode& node);

// Gives a node's root what the node sees of its GPUs: device files, their state, and the simulated
// library of the installation at `prefix`. Nothing where the node has none.
void show_gpus(const std::filesystem::path& gpus, const PlannedNode& node,
               const std::filesystem::path& prefix, NodeRoot& root);

// The kernel's log of a node, which it sees as /dev/kmsg, in that device's format. It starts empty
// with the node. Throw Error.
std::filesystem::path kernel_log_of(const std::filesystem::path& gpus, const PlannedNode& node);
void begin_kernel_log(const std::filesystem::path& gpus, const PlannedNode& node);
void say_in_kernel_log(const std::filesystem::path& gpus, const PlannedNode& node,
                       const KernelLine& line);

// Begins or ends a fault of GPUs or of NVML. Throws Error when the node has no such GPU.
void change_gpus(const std::filesystem::path& gpus, const PlannedNode& node, const Fault& fault,
                 bool begin);

}  // namespace slipway::local
