// The board and the disk: complete steps are written there, and a job that has none in memory
// starts from there.
#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "common/count.h"
#include "launcher/checkpoint/board.h"

namespace slipway::checkpoint {

void Board::look_on_disk(int64_t below) {
  finder_.clear();
  const auto finder = std::ranges::find_if(
      ranks_.nodes, [&](const std::string& node) { return open_.contains(node); });
  if (!disk_ || off_ || finder == ranks_.nodes.end()) return order_restore();
  finder_ = *finder;
  below_ = below;
  orders_.push_back({finder_, Find{attempt_, disk_->folder(), below}});
}

void Board::hear(const std::string& node, const Found& found) {
  if (node != finder_ || found.attempt != attempt_ || found.step >= below_) return;
  finder_.clear();
  if (!found.trouble.empty())
    news_.push_back(fmt::format("{}: {}", disk_->folder(), found.trouble));
  parts_on_disk_ = static_cast<int64_t>(found.digests.size());
  if (off_ || found.step < 0) return order_restore();
  Step step;
  step.present = parts_on_disk_;
  for (const std::string& digest : found.digests) step.ranks.push_back({digest, {}});
  if (is_replicated(step)) spread(step, ranks_.size());
  if (step.present != ranks_.size()) {
    why_none_ = fmt::format("step {} in {} is one of {}", found.step, disk_->folder(),
                            counted(found.digests.size(), "rank"));
    return order_restore();
  }
  steps_[found.step] = std::move(step);
  restored_ = found.step;
  complete_ = restored_;
  from_disk_ = found.job;
  disk_->begin(attempt_, ranks_, restored_);
  order_restore();
}

void Board::hear(const std::string& node, const Written& written) {
  if (disk_) disk_->heard(node, written);
  take_from_disk_plan();
}

void Board::hear(const std::string&, const Published& published) {
  if (disk_) disk_->heard(published);
  take_from_disk_plan();
}

void Board::take_from_disk_plan() {
  if (!disk_) return;
  std::ranges::move(disk_->orders(), std::back_inserter(orders_));
  std::ranges::move(disk_->news(), std::back_inserter(news_));
}

Retire Board::retire(int64_t below, int64_t except) const {
  return {below, except, disk_ ? disk_->writing().value_or(-1) : -1, complete_.value_or(-1)};
}

std::vector<std::string> Board::digests_of(const Step& step) {
  std::vector<std::string> digests;
  for (const RankStep& rank : step.ranks) digests.push_back(rank.digest);
  return digests;
}

}  // namespace slipway::checkpoint
