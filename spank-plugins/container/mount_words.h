// The words that mount(8) and enroot's fstab have for a mount, except what understand_flags() of
// mounts.h gives.
#pragma once

#include <string>

namespace slipway::container {

// Whether the field of an fstab is a list of options: it has a comma, or is one of our words.
bool are_mount_words(const std::string& field);

}  // namespace slipway::container
