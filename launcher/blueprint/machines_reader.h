// Reads `machines`.
#pragma once

#include <optional>

#include "launcher/blueprint/machines.h"
#include "launcher/blueprint/shape_reader.h"

namespace slipway::blueprint {

// `machines` of a blueprint or a deployment file; nothing without it. Reports mistakes in its
// shape, in host names and in host lists.
std::optional<Machines> read_machines(const source::Node& parent, ShapeReader& reader);

}  // namespace slipway::blueprint
