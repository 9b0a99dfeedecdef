// Sends messages at a limited rate.
#include "launcher/tell/teller.h"

#include <fmt/core.h>

#include <utility>

namespace slipway::tell {
namespace {

constexpr int most_tries = 20;  // at the interval of the caller, half a minute
constexpr size_t most_waiting = 200;

}  // namespace

Teller::Teller(std::vector<std::string> channels, RateLimit limit, Deliver deliver, Say say)
    : channels_(std::move(channels)),
      limit_(std::move(limit)),
      deliver_(std::move(deliver)),
      say_(std::move(say)) {}

Teller::Teller(const health::Telling& telling, Say say)
    : Teller(
          channels_of(telling), RateLimit(telling.most, telling.minutes),
          [telling](const Message& message, const std::vector<std::string>& channels) {
            return deliver(message, telling, channels);
          },
          std::move(say)) {}

void Teller::take(Message message) {
  if (waiting_.size() >= most_waiting) waiting_.pop_front();
  waiting_.push_back({std::move(message), channels_});
}

void Teller::tell(Message message, std::time_t now) {
  if (!limit_.take(now)) return limit_.leave_out(message.event, now);
  if (const std::string left_out = limit_.take_left_out(); !left_out.empty()) {
    message.text += fmt::format("; {}", left_out);
  }
  take(std::move(message));
}

void Teller::send(const std::string& cluster, std::time_t now) {
  if (limit_.has_left_out() && limit_.take(now)) {
    take({"left-out", cluster, "", "", limit_.take_left_out()});
  }
  std::deque<Waiting> again;
  for (Waiting& each : std::exchange(waiting_, {})) {
    const std::vector<Undelivered> failed = deliver_(each.message, each.channels);
    each.channels.clear();
    for (const Undelivered& one : failed) {
      each.channels.push_back(one.channel);
      if (each.tries == 0) say_(fmt::format("{}: {}", one.channel, one.why));
    }
    if (failed.empty()) continue;
    if (++each.tries < most_tries) {
      again.push_back(std::move(each));
    } else {
      say_(fmt::format("gave up after {} tries: {}", most_tries, line_of(each.message)));
    }
  }
  waiting_ = std::move(again);
}

}  // namespace slipway::tell
