// Sends messages at a limited rate, and again if nobody took them.
#pragma once

#include <ctime>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "launcher/tell/channels.h"
#include "launcher/tell/rate_limit.h"

namespace slipway::tell {

class Teller {
 public:
  using Deliver = std::function<std::vector<Undelivered>(const Message& message,
                                                         const std::vector<std::string>& channels)>;
  using Say = std::function<void(const std::string&)>;  // for the log

  // By `deliver` and with `say` for what went wrong.
  Teller(std::vector<std::string> channels, RateLimit limit, Deliver deliver, Say say);
  // By the channels of a policy.
  Teller(const health::Telling& telling, Say say);

  // Takes a message for send(), unless too many have been taken within the window.
  void tell(Message message, std::time_t now);
  // Sends what was taken, and how many messages were left out once there is room for that. What a
  // channel refuses is tried again in later calls, some times.
  void send(const std::string& cluster, std::time_t now);

  // Of messages that no channel has taken yet; bounded.
  size_t waiting() const { return waiting_.size(); }
  RateLimit& limit() { return limit_; }

 private:
  struct Waiting {
    Message message;
    std::vector<std::string> channels;  // that have not taken it
    int tries = 0;
  };
  void take(Message message);

  std::vector<std::string> channels_;
  RateLimit limit_;
  Deliver deliver_;
  Say say_;
  std::deque<Waiting> waiting_;
};

}  // namespace slipway::tell
