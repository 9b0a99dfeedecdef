// How far the clocks of nodes differ from ours.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <deque>
#include <map>
#include <string>

namespace slipway::job {

inline double microseconds_since_1970() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration<double, std::micro>(now).count();
}

// From when messages were sent, by the node's clock, and when they arrived, by ours. The message
// that was fastest is off by its travel alone, which takes less than a millisecond in a cluster.
class NodeClocks {
 public:
  // Add this to the node's times.
  double shift(const std::string& node, double sent, double arrived) {
    std::deque<double>& recent = nodes_[node];
    recent.push_back(arrived - sent);
    if (recent.size() > most_recent) recent.pop_front();
    return std::ranges::min(recent);
  }

 private:
  static constexpr size_t most_recent = 16;  // a minute: clocks drift
  std::map<std::string, std::deque<double>> nodes_;
};

}  // namespace slipway::job
