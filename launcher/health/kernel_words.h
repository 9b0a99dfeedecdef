// What records of the kernel's log mean for the node: Xids, and what the policy has patterns for.
// Both the health checks and `slipway launch` decide it here.
#pragma once

#include <optional>

#include "launcher/health/kernel_log.h"
#include "launcher/health/policy.h"

namespace slipway::health {

// The Xid that a record reports. Records below a warning never do: there the kernel writes about
// what programs do.
std::optional<Xid> xid_of(const KernelRecord& record);

// The first of the policy's patterns that a record matches; null when none does.
const KernelPattern* pattern_of(const KernelRecord& record, const Policy& policy);

// Whether a record begins with the name of a program, which a user has chosen: "python3[1234]:
// segfault at …". Such a record never matches anything else.
bool begins_with_a_program(const KernelRecord& record, const Policy& policy);

}  // namespace slipway::health
