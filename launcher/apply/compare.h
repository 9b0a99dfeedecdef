// What is new, changed and gone between two makings of a group's definitions. No cloud is needed,
// and none is asked.
#pragma once

#include "launcher/apply/changes.h"
#include "launcher/apply/definition_files.h"

namespace slipway::apply {

// A null pointer stands for a group that was not applied, or that is not there any more.
GroupChanges compare(const GroupDefinitions* before, const GroupDefinitions* after);

}  // namespace slipway::apply
