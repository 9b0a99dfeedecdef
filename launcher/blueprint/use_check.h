// Finds what is unused in a blueprint: `use` without effect, variables, and modules that do nothing
// on their own.
#pragma once

#include "launcher/blueprint/deployment.h"
#include "launcher/source/diagnostics.h"

namespace slipway::blueprint {

// Call after wiring. Does nothing after errors, since a name misspelled elsewhere would look
// unused.
void check_use(Deployment& deployment, source::Diagnostics& diagnostics);

// The severity of a validator's findings.
Level level_of(const Deployment& deployment, std::string_view validator);

void skip_validator(Deployment& deployment, const std::string& name);

}  // namespace slipway::blueprint
