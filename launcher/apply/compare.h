// Compares two versions of a group's definitions, without access to the cloud.
#pragma once

#include "launcher/apply/changes.h"
#include "launcher/apply/definition_files.h"
#include "launcher/apply/replacement_rules.h"

namespace slipway::apply {

// Null means that the group was never applied or no longer exists. Resources that `rules` does not
// have are changed in place.
GroupChanges compare(const GroupDefinitions* before, const GroupDefinitions* after,
                     const ReplacementRules& rules = {});

}  // namespace slipway::apply
