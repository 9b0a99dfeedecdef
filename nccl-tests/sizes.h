// Message sizes: their notation on the command line, and the sweep over them.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace slipway::bandwidth {

// The bytes of "8", "64K", "32MB" or "1.5GiB" (K, M and G are powers of 1024, upper or lower case,
// with or without B or iB; a fraction of a byte is dropped). Throws UsageError for anything else,
// where nccl-tests ignores the rest.
int64_t parse_size(std::string_view text);

// The sizes from `min_bytes` to `max_bytes`, both included if the steps reach them.
struct Sweep {
  int64_t min_bytes = 32 << 20;
  int64_t max_bytes = 32 << 20;
  int64_t step_bytes = 1 << 20;  // added, where step_factor is 1
  int64_t step_factor = 1;       // multiplied, where it is more than 1
};

// Throws UsageError for a sweep that is empty or endless.
void check(const Sweep& sweep);

// In ascending order; never empty for a sweep that passed check().
std::vector<int64_t> sizes(const Sweep& sweep);

// The sizes to warm up with: min_bytes times every power of two up to the largest size, as in
// nccl-tests since August 2025, so that no protocol is used for the first time in a timed run.
std::vector<int64_t> warmup_sizes(const Sweep& sweep);

}  // namespace slipway::bandwidth
