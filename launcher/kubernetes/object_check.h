// Compares an object with the schema of its kind, as the API server would.
#pragma once

#include "launcher/kubernetes/object.h"
#include "launcher/kubernetes/schemas.h"

namespace slipway::kubernetes {

// Reports unknown fields (an error if one is a slip of the pen, otherwise a warning: servers drop
// it), and wrong types, values and missing fields, which servers refuse. Kinds without a schema
// pass, except one that differs from a known one by a slip, or in its version. Where a template
// decides, nothing is reported.
void check_object(const Object& object, const Schemas& schemas, source::Diagnostics& diagnostics);

}  // namespace slipway::kubernetes
