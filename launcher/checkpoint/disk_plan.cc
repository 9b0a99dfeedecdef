// Orders nodes to write complete steps, a few nodes at a time.
#include "launcher/checkpoint/disk_plan.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace slipway::checkpoint {
namespace {

constexpr size_t most_writers = 8;  // at a time: file systems do not get faster by more

}  // namespace

void DiskPlan::begin(int64_t attempt, Ranks ranks, int64_t step) {
  attempt_ = attempt;
  ranks_ = std::move(ranks);
  last_ = std::max<int64_t>(step, 0);
  give_up();
}

std::optional<int64_t> DiskPlan::writing() const {
  return writing_ ? std::optional(writing_->step) : std::nullopt;
}

DiskStep DiskPlan::place() const {
  return {wish_.folder, writing_->step, fmt::format("{}.{}", wish_.job, attempt_)};
}

void DiskPlan::complete(int64_t step, std::vector<std::string> digests) {
  if (writing_ || step < last_ + wish_.every) return;
  writing_ = Writing{step, std::move(digests), {}, {}};
  for (size_t node = 0; node < ranks_.nodes.size(); ++node) writing_->waiting.push_back(node);
  order_next();
}

void DiskPlan::order_next() {
  while (!writing_->waiting.empty() && writing_->at_work.size() < most_writers) {
    const size_t node = writing_->waiting.front();
    writing_->waiting.pop_front();
    Write write = {place(), {}};
    const int64_t first = static_cast<int64_t>(node) * ranks_.ranks_per_node;
    for (int64_t rank = first; rank < first + ranks_.ranks_per_node; ++rank)
      write.parts.push_back({rank, writing_->digests[static_cast<size_t>(rank)]});
    writing_->at_work.insert(ranks_.nodes[node]);
    orders_.push_back({ranks_.nodes[node], std::move(write)});
  }
  if (writing_->at_work.empty())
    orders_.push_back({ranks_.nodes.front(), Publish{place(), writing_->digests}});
}

void DiskPlan::heard(const std::string& node, const Written& written) {
  if (!writing_ || written.attempt != attempt_ || written.step != writing_->step) return;
  if (writing_->at_work.erase(node) == 0) return;
  if (!written.trouble.empty()) return fail(fmt::format("{}: {}", node, written.trouble));
  order_next();
}

void DiskPlan::heard(const Published& published) {
  if (!writing_ || published.attempt != attempt_ || published.step != writing_->step) return;
  if (!writing_->waiting.empty() || !writing_->at_work.empty()) return;  // nobody asked for it yet
  if (!published.trouble.empty()) return fail(published.trouble);
  if (!std::exchange(has_told_success_, true))
    news_.push_back(fmt::format("step {} is the first in {}", writing_->step, wish_.folder));
  last_ = writing_->step;
  writing_.reset();
}

// The next step may work.
void DiskPlan::fail(const std::string& why) {
  if (!std::exchange(has_told_failure_, true))
    news_.push_back(
        fmt::format("step {} is not written to {}: {}", writing_->step, wish_.folder, why));
  writing_.reset();
}

}  // namespace slipway::checkpoint
