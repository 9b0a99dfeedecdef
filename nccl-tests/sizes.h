// Message sizes: how they are written on the command line, and the sweep over them.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace slipway::bandwidth {

// Bytes of "8", "64K", "1.5G" (K, M and G are powers of 1024, in either case; a fraction of a byte
// is dropped). Throws UsageError for anything else, where nccl-tests ignores what follows.
int64_t parse_size(std::string_view text);

// The sizes from `min_bytes` to `max_bytes`, both included where the steps meet them.
struct Sweep {
  int64_t min_bytes = 32 << 20;
  int64_t max_bytes = 32 << 20;
  int64_t step_bytes = 1 << 20;  // added, where step_factor is 1
  int64_t step_factor = 1;       // multiplied, where it is more than 1
};

// Throws UsageError for a sweep that is empty or never ends.
void check(const Sweep& sweep);

// In ascending order; never empty for a sweep that passed check().
std::vector<int64_t> sizes(const Sweep& sweep);

// The sizes to warm up with: min_bytes times every power of two up to the largest size, as
// nccl-tests does since August 2025, so that no protocol is met for the first time by the clock.
std::vector<int64_t> warmup_sizes(const Sweep& sweep);

}  // namespace slipway::bandwidth
