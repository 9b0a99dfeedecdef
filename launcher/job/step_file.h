// A file in which a program keeps the number of its step.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace slipway::job {

// The whole number at the begin of the file; none when it has none, or is not there.
std::optional<int64_t> step_in(const std::filesystem::path& path);

}  // namespace slipway::job
