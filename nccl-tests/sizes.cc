// Message sizes: their notation on the command line, and the sweep over them.
#include "nccl-tests/sizes.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include <fmt/core.h>

#include "common/error.h"

namespace slipway::bandwidth {
namespace {

constexpr int64_t largest_size = int64_t{1} << 50;  // no node has a PiB, and no sum overflows

// "K", "KB" and "KiB" are the same, as in nccl-tests, which reads the first letter only.
std::optional<int64_t> unit(std::string_view suffix) {
  if (suffix.starts_with(' ')) suffix.remove_prefix(1);
  if (suffix.empty() || suffix == "B" || suffix == "b") return 1;
  const auto rest = suffix.substr(1);
  if (!rest.empty() && rest != "B" && rest != "b" && rest != "iB" && rest != "ib")
    return std::nullopt;
  switch (suffix.front()) {
    case 'K':
    case 'k':
      return int64_t{1} << 10;
    case 'M':
    case 'm':
      return int64_t{1} << 20;
    case 'G':
    case 'g':
      return int64_t{1} << 30;
    default:
      return std::nullopt;
  }
}

}  // namespace

int64_t parse_size(std::string_view text) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [after, error] = std::from_chars(text.data(), end, number);
  const std::optional<int64_t> factor = unit({after, end});
  if (error != std::errc() || !factor || !std::isfinite(number) || number < 0) {
    throw UsageError(
        fmt::format("`{}` is not a size; write bytes, or a number with K, M or G", text));
  }
  const double bytes = number * static_cast<double>(*factor);
  if (bytes > static_cast<double>(largest_size)) {
    throw UsageError(fmt::format("`{}` is more than {}G", text, largest_size >> 30));
  }
  return static_cast<int64_t>(bytes);
}

void check(const Sweep& sweep) {
  if (sweep.min_bytes > sweep.max_bytes) {
    throw UsageError(
        fmt::format("--minbytes is {}, more than --maxbytes, which is {}: nothing to run",
                    sweep.min_bytes, sweep.max_bytes));
  }
  if (sweep.step_factor < 1) {
    throw UsageError(fmt::format("--stepfactor is {}, it must be at least 1", sweep.step_factor));
  }
  if (sweep.step_factor > 1 && sweep.min_bytes == 0) {
    throw UsageError(
        "--minbytes is 0, which cannot be multiplied; start at 1 or more, or step with -i");
  }
  if (sweep.step_factor == 1 && sweep.step_bytes == 0) {
    throw UsageError("--stepbytes is 0, which never reaches --maxbytes");
  }
}

std::vector<int64_t> sizes(const Sweep& sweep) {
  std::vector<int64_t> all;
  for (int64_t size = sweep.min_bytes; size <= sweep.max_bytes;) {
    all.push_back(size);
    if (sweep.step_factor > 1) {
      if (size > sweep.max_bytes / sweep.step_factor) break;
      size *= sweep.step_factor;
    } else {
      size += sweep.step_bytes;
    }
  }
  return all;
}

std::vector<int64_t> warmup_sizes(const Sweep& sweep) {
  return sizes({.min_bytes = std::max<int64_t>(sweep.min_bytes, 1),
                .max_bytes = sizes(sweep).back(),
                .step_bytes = 1,
                .step_factor = 2});
}

}  // namespace slipway::bandwidth
