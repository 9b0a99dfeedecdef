// What Terraform plans, as its own plan has it: `terraform show -json PLAN`.
#pragma once

#include "launcher/apply/changes.h"
#include "launcher/apply/definition_files.h"

namespace slipway::apply {

// `definitions` are those that were planned, `before` those that were applied last, where there are
// any: they say which module a resource belongs to. Throws Error.
GroupChanges planned(const Json& plan, const GroupDefinitions& definitions,
                     const GroupDefinitions* before);

}  // namespace slipway::apply
