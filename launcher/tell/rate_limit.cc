// Limits how many messages go out within some time.
#include "launcher/tell/rate_limit.h"

#include <fmt/core.h>

#include <utility>

#include "common/count.h"
#include "common/utc.h"

namespace slipway::tell {

bool RateLimit::take(std::time_t now) {
  // A clock that was set back must not silence us.
  std::erase_if(state_.sent, [&](std::time_t at) { return at <= now - window_ || at > now; });
  if (state_.sent.size() >= most_) return false;
  state_.sent.push_back(now);
  return true;
}

void RateLimit::leave_out(const std::string& event, std::time_t now) {
  if (state_.left_out.empty()) state_.since = now;
  ++state_.left_out[event];
}

std::string RateLimit::take_left_out() {
  if (state_.left_out.empty()) return "";
  int64_t count = 0;
  std::string kinds;
  for (const auto& [event, times] : std::exchange(state_.left_out, {})) {
    count += times;
    kinds += fmt::format("{}{} {}", kinds.empty() ? "" : ", ", times, event);
  }
  return fmt::format("{} {} left out since {} ({})", counted(static_cast<size_t>(count), "message"),
                     count == 1 ? "was" : "were", utc_text(state_.since, ' '), kinds);
}

}  // namespace slipway::tell
