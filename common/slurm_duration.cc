// Reads lengths of time in Slurm's notation.
#include "common/slurm_duration.h"

#include <string>
#include <vector>

#include "common/text.h"

namespace slipway {
namespace {

constexpr int64_t most_days = 100'000;
constexpr int64_t most_in_a_part = 1'000'000'000;

}  // namespace

std::optional<int64_t> slurm_duration(std::string_view text) {
  const std::string lower = to_lower(text);
  if (lower == "unlimited" || lower == "infinite" || lower == "-1") return 0;
  const size_t dash = text.find('-');
  const bool has_days = dash != text.npos;
  const auto days = has_days ? to_number<int64_t>(text.substr(0, dash)) : std::optional<int64_t>(0);
  if (!days || *days < 0 || *days > most_days) return std::nullopt;
  if (has_days) text.remove_prefix(dash + 1);
  std::vector<int64_t> parts;
  for (const std::string& part : split(text, ':')) {
    const auto number = to_number<int64_t>(part);
    if (!number || *number < 0 || *number > most_in_a_part) return std::nullopt;
    parts.push_back(*number);
  }
  if (parts.empty() || parts.size() > 3) return std::nullopt;
  if (has_days) {  // hours, minutes, seconds
    parts.resize(3);
    return ((*days * 24 + parts[0]) * 60 + parts[1]) * 60 + parts[2];
  }
  if (parts.size() == 1) return parts[0] * 60;
  if (parts.size() == 2) return parts[0] * 60 + parts[1];
  return (parts[0] * 60 + parts[1]) * 60 + parts[2];
}

}  // namespace slipway
