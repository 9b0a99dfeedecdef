// What a blueprint has and nothing uses: the two validators that need no cloud, and modules that do
// nothing alone.
#pragma once

#include "launcher/blueprint/deployment.h"
#include "launcher/source/diagnostics.h"

namespace slipway::blueprint {

// After wiring. Says nothing after errors: a name that is misspelt elsewhere would look unused.
void check_use(Deployment& deployment, source::Diagnostics& diagnostics);

// As if the blueprint said that the validator is to be left out.
// What becomes of a validator's findings.
Level level_of(const Deployment& deployment, std::string_view validator);

void skip_validator(Deployment& deployment, const std::string& name);

}  // namespace slipway::blueprint
