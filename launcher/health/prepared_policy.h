// The catalogue's health policy in a form that is read in a fraction of the time that its YAML
// takes: a job's prolog reads it on every node. It is made when Slipway is built, and lies beside
// health.yaml, which stays what is true: when that has been changed since, its YAML is read.
// docs/decisions/0033-prepared-modules.md says why modules are prepared; this is the same.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "launcher/health/policy.h"

namespace slipway::health {

inline constexpr const char* prepared_policy_name = "health.prepared";

// What the file is to hold for the policy that `text` is. The same for the same text.
std::string prepare_policy(const Policy& policy, std::string_view text);

// The policy of `folder`'s file, when that was made of `text` by this version of Slipway, and is
// whole.
std::optional<Policy> read_prepared_policy(const std::filesystem::path& folder,
                                           std::string_view text);

}  // namespace slipway::health
