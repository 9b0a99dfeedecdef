// What ranks report to each other in heartbeats, and how it travels up a tree of ranks.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace slipway::bandwidth {

// What one rank was doing when it reported it.
struct Beat {
  int rank = 0;
  uint64_t operations = 0;  // started so far
  double heard = 0;         // by the clock of the rank that has the beat
  std::string phase;
};

// The newest beat of each rank that has not been passed on yet. However often ranks report, a rank
// between them and rank 0 passes on one beat of each in a while.
class HeartbeatNews {
 public:
  void add(Beat beat) { beats_.insert_or_assign(beat.rank, std::move(beat)); }
  bool empty() const { return beats_.empty(); }
  // All beats as one text. Times are sent as ages, because clocks differ.
  std::string take(double now);

 private:
  std::map<int, Beat> beats_;
};

// The beats in a text that take() has made. Throws Error for any other text, and for a rank that is
// not below `ranks`.
std::vector<Beat> parse_news(std::string_view text, double now, int ranks);

}  // namespace slipway::bandwidth
