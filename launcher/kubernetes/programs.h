// Programs that a cluster needs before it knows an object's kind.
#pragma once

#include <vector>

#include "launcher/blueprint/evaluation.h"
#include "launcher/kubernetes/object.h"
#include "launcher/kubernetes/table.h"

namespace slipway::kubernetes {

// Warns once for each program whose objects a blueprint applies to a cluster that it makes, without
// installing the program.
void check_programs(blueprint::Evaluation& evaluation, const std::vector<Object>& objects,
                    const std::vector<Program>& programs, source::Diagnostics& diagnostics);

}  // namespace slipway::kubernetes
