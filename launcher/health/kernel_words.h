// Decides what kernel records mean for the node: Xids, and matches of the policy's patterns. Used
// by both the health checks and `slipway launch`.
#pragma once

#include <optional>

#include "launcher/health/kernel_log.h"
#include "launcher/health/policy.h"

namespace slipway::health {

// The Xid that a record reports. Empty for records less severe than a warning: there the kernel
// logs what programs do.
std::optional<Xid> xid_of(const KernelRecord& record);

// The first of the policy's patterns that a record matches; null if none does.
const KernelPattern* pattern_of(const KernelRecord& record, const Policy& policy);

// Whether a record begins with a program's name, which users choose: "python3[1234]: segfault at
// …". Such a record never matches anything else.
bool begins_with_a_program(const KernelRecord& record, const Policy& policy);

}  // namespace slipway::health
