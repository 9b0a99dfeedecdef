// How much memory a node may use for checkpoints.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace slipway::checkpoint {

// "64G", "512M", "1000000": a size in bytes; the letters K, M, G and T are powers of 1024. Empty if
// the text is not a size.
std::optional<int64_t> size_in_bytes(std::string_view text);

// "1.5 GiB"
std::string size_text(int64_t bytes);

// The least of what the machine has and what the control groups of this process allow, in bytes.
// `root` is where proc and sys are.
int64_t memory_of_job(const std::filesystem::path& root = "/");

// Where the steps are: memory that every user may use. Throws Error if it is not in memory.
std::filesystem::path memory_folder();

// What to hold at most in `folder`: `wanted`, or half of the folder's size and a quarter of the
// job's memory if that is 0. Throws Error if the folder or the job's memory is smaller than
// `wanted`.
int64_t most_bytes_in(const std::filesystem::path& folder, int64_t wanted,
                      const std::filesystem::path& root = "/");

}  // namespace slipway::checkpoint
