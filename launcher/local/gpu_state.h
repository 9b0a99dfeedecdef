// The simulated GPUs of a node: a file that the simulated NVML library answers from.
//
// <gpus>/<node>/gpus.json, schema slipway/gpus/1, is written here and seen by the node, read-only,
// as simulated_gpus_path.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>

#include "launcher/local/fault.h"
#include "launcher/local/plan.h"

namespace slipway::local {

// As the node has it; the library knows this path, too.
inline constexpr const char* simulated_gpus_folder = "/run/slipway-gpus";

// Healthy GPUs of a node, by its profile. Equal for equal nodes, but for serial numbers.
nlohmann::json healthy_gpus(const PlannedNode& node);

// Writes the state of a node's GPUs, unless it is there. Throws Error.
void prepare_gpus(const std::filesystem::path& gpus, const PlannedNode& node);

// Begins or ends a fault of GPUs or of NVML. Throws Error when the node has no such GPU.
void change_gpus(const std::filesystem::path& gpus, const PlannedNode& node, const Fault& fault,
                 bool begin);

}  // namespace slipway::local
