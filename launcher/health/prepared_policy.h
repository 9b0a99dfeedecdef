// The catalog's health policy in a form that loads in a fraction of the time that its YAML takes: a
// job's prolog reads it on every node. The build creates it next to health.yaml, which stays
// authoritative: if health.yaml has changed since, the YAML is read instead.
// docs/decisions/0033-prepared-modules.md explains why modules are prepared; the reason is the
// same.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "launcher/health/policy.h"

namespace slipway::health {

inline constexpr const char* prepared_policy_name = "health.prepared";

// The file's content for a policy and the YAML text that it came from. Deterministic.
std::string prepare_policy(const Policy& policy, std::string_view text);

// The policy in `folder`'s prepared file, if this version of Slipway made it from `text`, and it is
// complete.
std::optional<Policy> read_prepared_policy(const std::filesystem::path& folder,
                                           std::string_view text);

}  // namespace slipway::health
