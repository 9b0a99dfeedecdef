// What ranks report to each other in heartbeats.
#include "nccl-tests/heartbeat_news.h"

#include <algorithm>
#include <optional>

#include <fmt/core.h>

#include "common/error.h"
#include "common/text.h"

namespace slipway::bandwidth {
namespace {

Beat parse_beat(std::string_view line, double now, int ranks) {
  constexpr size_t numbers = 3;
  std::optional<uint64_t> values[numbers];
  for (auto& value : values) {
    const size_t space = line.find(' ');
    if (space == std::string_view::npos) break;
    value = to_number<uint64_t>(line.substr(0, space));
    line.remove_prefix(space + 1);
  }
  if (!values[0] || !values[1] || !values[2] || *values[0] >= static_cast<uint64_t>(ranks))
    throw Error("another rank sent an invalid heartbeat");
  return {static_cast<int>(*values[0]), *values[1], now - static_cast<double>(*values[2]) / 1e3,
          std::string(line)};
}

}  // namespace

std::string HeartbeatNews::take(double now) {
  std::string text;
  for (const auto& [rank, beat] : beats_) {
    const auto age_ms = static_cast<uint64_t>(std::max(0.0, now - beat.heard) * 1e3);
    std::string phase = beat.phase;
    std::ranges::replace(phase, '\n', ' ');
    text += fmt::format("{} {} {} {}\n", rank, beat.operations, age_ms, phase);
  }
  beats_.clear();
  return text;
}

std::vector<Beat> parse_news(std::string_view text, double now, int ranks) {
  std::vector<Beat> beats;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    beats.push_back(parse_beat(text.substr(0, end), now, ranks));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return beats;
}

}  // namespace slipway::bandwidth
