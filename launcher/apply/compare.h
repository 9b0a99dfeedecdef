// Compares two versions of a group's definitions, without access to the cloud.
#pragma once

#include "launcher/apply/changes.h"
#include "launcher/apply/definition_files.h"

namespace slipway::apply {

// Null means that the group was never applied or no longer exists.
GroupChanges compare(const GroupDefinitions* before, const GroupDefinitions* after);

}  // namespace slipway::apply
