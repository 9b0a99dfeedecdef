// A verdict for people, for programs and for Slurm.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "launcher/health/judge.h"

namespace slipway::health {

inline constexpr std::string_view verdict_schema = "slipway/health/1";

// How the reason of each drain of ours begins: no other is ever undone.
inline constexpr std::string_view reason_prefix = "slipway health: ";

// Docs: docs/schemas/health-1.schema.json.
nlohmann::ordered_json to_json(const Verdict& verdict);

// "node n-3: drain: gpu_ecc GPU 5 0000:09:00.0: 2 memory errors … (and 1 more); 26 checks, 12 ms"
std::string line_of(const Verdict& verdict);

// The reason of a drain: what the worst finding is, in the words that repair tools look for:
// "[node_problem]" (soperator) and "Action:Reboot" or "Action:Replace" (HyperPod).
std::string reason_of(const Verdict& verdict);

// The node's comment in Slurm: what degrades it; empty when nothing does.
std::string comment_of(const Verdict& verdict);

}  // namespace slipway::health
