// What save() of runtime.h leaves out: everything that is mounted in the container.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace slipway::container {

// Patterns for mksquashfs -wildcards: what is in mounted folders, and mounted files. `mountinfo` is
// the text of the keeper's /proc/PID/mountinfo, `root` the container's root.
std::vector<std::string> excluded_mounts(std::string_view mountinfo, const std::string& root);

// A path as mountinfo writes it: "\040" is a space.
std::string unescaped_mount(std::string_view text);

// A pattern that only `path` fits.
std::string glob_of(std::string_view path);

}  // namespace slipway::container
