// What records of the kernel's log say about the node: Xids, and what the policy has patterns for.
//
// The one place that decides it, for looks at the node and for `slipway launch`.
#pragma once

#include <optional>

#include "launcher/health/kernel_log.h"
#include "launcher/health/policy.h"

namespace slipway::health {

// The driver's Xid that a record is. Nothing in a record that is less than a warning is one: there
// the kernel writes of what programs do.
std::optional<Xid> xid_of(const KernelRecord& record);

// The first of the policy's patterns that a record is; null for all others.
const KernelPattern* pattern_of(const KernelRecord& record, const Policy& policy);

// Whether a record begins with what a user has called a program: "python3[1234]: segfault at …".
// None of those is taken for anything else, whatever the name is.
bool begins_with_a_program(const KernelRecord& record, const Policy& policy);

}  // namespace slipway::health
