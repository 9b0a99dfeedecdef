// Reads a file in which a program keeps its step number.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace slipway::job {

// The whole number at the start of the file; empty without a number or a file.
std::optional<int64_t> step_in(const std::filesystem::path& path);

struct FileSteps {
  int64_t step = 0;
  int64_t saved = 0;  // from which any number of ranks can resume; 0: the file does not say
};
// The same, and a second number after blanks.
std::optional<FileSteps> steps_in(const std::filesystem::path& path);

}  // namespace slipway::job
