// Removing images that Packer has made.
#pragma once

#include "launcher/apply/session.h"

namespace slipway::apply {

// Whether we know how: it is an image of Google Compute Engine.
bool is_removable(const Image& image);

// "debian-1 in the project p"
std::string to_text(const Image& image);

// Removes exactly this image. One that is gone already is fine. Throws Error.
void remove_image(Session& session, const std::string& group, const Image& image,
                  const std::filesystem::path& gcloud);

}  // namespace slipway::apply
