// Reads the changes in Terraform's plan, `terraform show -json PLAN`.
#pragma once

#include "launcher/apply/changes.h"
#include "launcher/apply/definition_files.h"

namespace slipway::apply {

// `definitions` are the planned ones, `before` those last applied, or null; they determine the
// module of a resource. Throws Error.
GroupChanges planned(const Json& plan, const GroupDefinitions& definitions,
                     const GroupDefinitions* before);

}  // namespace slipway::apply
