// Removes images built by Packer.
#pragma once

#include "launcher/apply/session.h"

namespace slipway::apply {

// True for an image of Google Compute Engine, the only kind that we can remove.
bool is_removable(const Image& image);

// "debian-1 in the project p"
std::string to_text(const Image& image);

// Removes exactly this image; it may already be gone. Throws Error.
void remove_image(Session& session, const std::string& group, const Image& image,
                  const std::filesystem::path& gcloud);

}  // namespace slipway::apply
