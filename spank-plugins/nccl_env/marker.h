// Marks the values that nccl_env set, so that it recognizes them later.
//
// A batch script is itself a task: what we set for it flows through `srun --export=ALL` into the
// job's other steps, together with what the user exported. The variable SLIPWAY_NCCL_ENV travels
// along and records which values are ours. docs/decisions/0003-nccl-env-marker.md has the cases.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace slipway::nccl_env {

using Environment = std::map<std::string, std::string>;  // name and value

inline constexpr const char* marker_name = "SLIPWAY_NCCL_ENV";

// The user's own NCCL variables, for the library that keeps container images from replacing them:
// NCCL_DEBUG is passed along as SLIPWAY_NCCL_USER_NCCL_DEBUG. One variable each, unchanged, because
// Linux limits each environment string to 128 KiB: execve(2).
inline constexpr std::string_view users_prefix = "SLIPWAY_NCCL_USER_";

// The transport libraries of the machine where srun runs: nodes compare them with their own.
inline constexpr const char* digest_name = "SLIPWAY_NCCL_DIGEST";

// The marker's value for the variables that we set: a JSON object,
// {"NCCL_SOCKET_IFNAME":"=enp0s12"}. It is ASCII: bytes from 0x80 on become \u0080 to \u00ff,
// whatever they mean.
std::string write_marker(const Environment& ours);

// The variables recorded by the marker in `environment`. Empty if the marker is missing or invalid:
// then every value counts as the user's.
Environment read_marker(const Environment& environment);

}  // namespace slipway::nccl_env
