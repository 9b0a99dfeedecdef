// Decides when a job that has lost nodes grows again.
#include "launcher/job/growth.h"

#include <algorithm>

namespace slipway::job {

void Growth::joined(const std::string& node, Clock::time_point now) {
  joined_[node] = last_joined_ = now;
  if (std::ranges::find(waiting_, node) == waiting_.end()) waiting_.push_back(node);
}

void Growth::lost(const std::string& node, Clock::time_point now) {
  std::erase(waiting_, node);
  const auto since = joined_.find(node);
  if (since == joined_.end()) return;
  if (now - since->second < limits_.probation) refused_.insert(node);
  joined_.erase(since);
}

std::vector<std::string> Growth::take(size_t most) {
  const auto end = waiting_.begin() + static_cast<std::ptrdiff_t>(std::min(most, waiting_.size()));
  std::vector<std::string> taken(waiting_.begin(), end);
  waiting_.erase(waiting_.begin(), end);
  return taken;
}

bool Growth::wants(size_t missing, Clock::time_point now) const {
  if (missing == 0 || waiting_.empty()) return false;
  if (grew_ && now - *grew_ < limits_.between) return false;
  return waiting_.size() >= missing || now - last_joined_ >= limits_.gather;
}

bool Growth::is_due(size_t missing, std::optional<int64_t> saved, Clock::time_point now) {
  if (!wants(missing, now)) {
    wish_.reset();
    return false;
  }
  if (!wish_) wish_ = saved.value_or(-1);
  return saved.value_or(-1) > *wish_;
}

}  // namespace slipway::job
