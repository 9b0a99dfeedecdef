// Names in objects of other objects.
#pragma once

#include "launcher/kubernetes/object.h"
#include "launcher/kubernetes/table.h"

namespace slipway::kubernetes {

// Warns of each name of an object that none of `objects` has. It may be in the cluster already, so
// it cannot be an error.
void check_references(const std::vector<Object>& objects, const std::vector<Reference>& references,
                      source::Diagnostics& diagnostics);

}  // namespace slipway::kubernetes
