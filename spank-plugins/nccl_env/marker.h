// How nccl_env knows its own values again.
//
// A batch script is itself a task: what we set for it flows on through `srun --export=ALL` into the
// job's other steps, beside what the user exported. The variable SLIPWAY_NCCL_ENV travels with them
// and says which values are ours. docs/decisions/0003-nccl-env-marker.md has the cases.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace slipway::nccl_env {

using Environment = std::map<std::string, std::string>;  // name and value

inline constexpr const char* marker_name = "SLIPWAY_NCCL_ENV";

// The user's own variables of NCCL's, for the library that keeps a container's image from replacing
// them: NCCL_DEBUG goes along as SLIPWAY_NCCL_USER_NCCL_DEBUG, one variable each and its bytes as
// they are, because Linux takes no longer text in an environment than 128 KiB: execve(2).
inline constexpr std::string_view users_prefix = "SLIPWAY_NCCL_USER_";

// Of the machine where srun runs: a node compares it with its own.
inline constexpr const char* digest_name = "SLIPWAY_NCCL_DIGEST";

// The marker's value for what we set: a JSON object, {"NCCL_SOCKET_IFNAME":"=enp0s12"}. It is
// ASCII: a byte from 0x80 on is \u0080 to \u00ff, whatever it means.
std::string write_marker(const Environment& ours);

// What the marker in `environment` says. Empty when it is missing, or when somebody else wrote it:
// then every value counts as the user's.
Environment read_marker(const Environment& environment);

}  // namespace slipway::nccl_env
