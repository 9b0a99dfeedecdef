// Formats a verdict for people, for programs and for Slurm.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "launcher/health/judge.h"

namespace slipway::health {

inline constexpr std::string_view verdict_schema = "slipway/health/1";

// The start of our node comments.
inline constexpr std::string_view comment_prefix = "slipway health: ";

// Schema: docs/schemas/health-1.schema.json.
nlohmann::ordered_json to_json(const Verdict& verdict);

// "node n-3: drain: gpu_ecc GPU 5 0000:09:00.0: 2 uncorrectable … (and 1 more); 26 checks, 12 ms"
std::string line_of(const Verdict& verdict);

// The reason of a drain: the worst finding, who reports it, and the markers that repair tools
// look for: "[node_problem]" (soperator) and "Action:Reboot" or "Action:Replace" (HyperPod).
// `sinfo -R` shows the first 20 characters, so it begins with its core:
// "Xid79 GPU3 0000:07:00.0: GPU has fallen off the bus [node_problem] (slipway health) …"
std::string reason_of(const Verdict& verdict);

// The same for a node that did not pass its deep checks: only these lift such a drain, and the
// circuit breaker does not count it, because the node was not in service. `what` is for a finding
// that no verdict has, such as one of a scan.
std::string reason_of_deep_checks(const Verdict& verdict);
std::string reason_of_deep_checks(const std::string& what);
bool is_reason_of_deep_checks(std::string_view reason);

// The reason of a node that waits for its deep checks.
inline constexpr std::string_view waiting_reason = "deep checks pending (slipway health)";

// Whether a reason belongs to a drain of ours or of an older version: Slipway lifts no other drain.
// Users cannot set reasons; other root tools can, and end them differently.
bool is_own_reason(std::string_view reason);

// The node's comment in Slurm: what degrades it; empty if nothing does.
std::string comment_of(const Verdict& verdict);

}  // namespace slipway::health
