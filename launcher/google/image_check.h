// Warns of machines whose image lacks what their machine type needs.
#pragma once

#include "launcher/blueprint/evaluation.h"
#include "launcher/google/image_table.h"
#include "launcher/source/diagnostics.h"

namespace slipway::google {

void check_images(const blueprint::Deployment& deployment, blueprint::Evaluation& evaluation,
                  const ImageTable& table, source::Diagnostics& diagnostics);

}  // namespace slipway::google
