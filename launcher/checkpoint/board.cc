// Counts who has which step, orders copies, and chooses what an attempt starts from.
#include "launcher/checkpoint/board.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "common/count.h"
#include "common/error.h"
#include "launcher/checkpoint/placement.h"

namespace slipway::checkpoint {
namespace {

constexpr int most_failures = 3;  // of one copy; then the step is given up
constexpr size_t most_sources_sent = 8;
constexpr int64_t last_step = std::numeric_limits<int64_t>::max();

}  // namespace

void Board::heard(const std::string& node, const FromKeeper& message) {
  std::visit([&](const auto& each) { hear(node, each); }, message);
}

// Again if a new keeper takes over from one that ended; the first one may have taken an order
// along.
void Board::hear(const std::string& node, const Open& open) {
  open_[node] = open;
  if (restoring_.contains(node)) orders_.push_back({node, restore_order(index_of(node))});
}

void Board::hear(const std::string& node, const Notice& notice) {
  news_.push_back(fmt::format("{}: {}", node, notice.text));
}

void Board::hear(const std::string& node, const Off& off) {
  turn_off(fmt::format("{}: {}", node, off.why));
}

void Board::check_rank(int64_t rank) const {
  if (rank >= ranks_.size()) throw Error(fmt::format("there is no rank {}", rank));
}

int64_t Board::index_of(const std::string& node) const {
  return std::ranges::find(ranks_.nodes, node) - ranks_.nodes.begin();
}

const std::string& Board::node_of(int64_t rank) const {
  return ranks_.nodes[static_cast<size_t>(rank / ranks_.ranks_per_node)];
}

// The rank's own node first.
std::vector<std::string> Board::places_of(int64_t rank) const {
  const auto own = static_cast<size_t>(rank / ranks_.ranks_per_node);
  std::vector<std::string> places = {ranks_.nodes[own]};
  for (const size_t shift : shifts_)
    places.push_back(ranks_.nodes[(own + shift) % ranks_.nodes.size()]);
  return places;
}

// The rank's own node first; the others begin with a different one for each rank.
std::vector<Source> Board::sources_of(int64_t rank, const RankStep& step) const {
  std::vector<Source> sources;
  for (const std::string& node : step.nodes)
    if (const auto found = open_.find(node); found != open_.end())
      sources.push_back({node, found->second.port});
  if (sources.empty()) return sources;
  const auto shift = static_cast<size_t>(rank) % sources.size();
  std::rotate(sources.begin(), sources.begin() + static_cast<std::ptrdiff_t>(shift), sources.end());
  std::stable_partition(sources.begin(), sources.end(),
                        [&](const Source& source) { return source.node == node_of(rank); });
  if (sources.size() > most_sources_sent) sources.resize(most_sources_sent);
  return sources;
}

void Board::hear(const std::string& node, const Kept& kept) {
  if (kept.attempt != attempt_ || off_) return;  // from before a restart
  check_rank(kept.rank);
  const int64_t oldest = std::max(complete_.value_or(-1), target_.value_or(-1));
  const bool is_old = kept.step < oldest && kept.step != complete_;
  if (is_old) return;
  const bool is_own = node == node_of(kept.rank);
  if (!is_own && !steps_.contains(kept.step)) return;  // given up meanwhile
  Step& step = steps_[kept.step];
  step.ranks.resize(static_cast<size_t>(ranks_.size()));
  RankStep& rank = step.ranks[static_cast<size_t>(kept.rank)];
  if (rank.digest.empty() && is_own) {
    rank.digest = kept.digest;
    ++step.present;
  }
  if (rank.digest != kept.digest) return;
  rank.nodes.insert(node);
  if (target_ == kept.step) {
    wanted_.erase({node, kept.rank});
    count_if_complete();
  }
  choose_target();
}

void Board::hear(const std::string& node, const Missing& missing) {
  if (missing.attempt != attempt_ || off_) return;
  check_rank(missing.rank);
  const auto step = steps_.find(missing.step);
  if (step == steps_.end()) return;
  RankStep& rank = step->second.ranks[static_cast<size_t>(missing.rank)];
  rank.nodes.erase(node);
  if (target_ != missing.step) return;
  const bool hopeless = node == node_of(missing.rank) || rank.nodes.empty() ||
                        ++failures_[{node, missing.rank}] >= most_failures;
  if (hopeless)
    return abandon_target(fmt::format("rank {} on {}: {}", missing.rank, node, missing.why));
  order_copy(node, missing.rank);
}

void Board::abandon_target(const std::string& why) {
  if (!has_told_failure_)
    news_.push_back(fmt::format("step {} is not kept in other nodes' memory: {}", *target_, why));
  has_told_failure_ = true;
  // The restored step counts even with fewer copies.
  if (target_ != complete_) steps_.erase(*target_);
  target_.reset();
  wanted_.clear();
  choose_target();
}

void Board::hear(const std::string& node, const Restored& restored) {
  if (restored.attempt != attempt_ || restored.step != restored_) return;
  if (!restored.trouble.empty() && restored_ < 0) {
    turn_off(fmt::format("{}: {}", node, restored.trouble));
  } else if (!restored.trouble.empty()) {
    why_none_ =
        fmt::format("step {} could not be restored on {}: {}", restored_, node, restored.trouble);
    // Other nodes may already have removed what an older step would need.
    const int64_t below = from_disk_.empty() ? last_step : restored_;
    restored_ = -1;
    steps_.clear();
    complete_.reset();
    restoring_.clear();
    return look_on_disk(below);
  }
  if (restoring_.erase(node) == 0 || restored_ < 0 || off_) return;
  Step& step = steps_.at(restored_);
  const int64_t first = index_of(node) * ranks_.ranks_per_node;
  for (int64_t rank = first; rank < first + ranks_.ranks_per_node; ++rank)
    step.ranks[static_cast<size_t>(rank)].nodes.insert(node);
  if (!restoring_.empty()) return;
  target_ = restored_;  // nodes that are gone had copies of it
  begin_copies();
}

void Board::gone(const std::string& node) {
  open_.erase(node);
  restoring_.erase(node);
  if (node == finder_) look_on_disk(below_);
  for (auto& [number, step] : steps_)
    for (RankStep& rank : step.ranks) rank.nodes.erase(node);
}

bool Board::has_opened(const std::vector<std::string>& nodes) const {
  return std::ranges::all_of(nodes, [&](const std::string& node) { return open_.contains(node); });
}

bool Board::can_restore(const Step& step) const {
  return static_cast<int64_t>(step.ranks.size()) == step.present &&
         std::ranges::none_of(step.ranks, [](const RankStep& rank) { return rank.nodes.empty(); });
}

int64_t Board::newest_restorable() const {
  for (auto step = steps_.rbegin(); step != steps_.rend(); ++step)
    if (can_restore(step->second)) return step->first;
  return -1;
}

std::string Board::why_none() const {
  if (!complete_) return "no step was complete yet";
  const Step& step = steps_.at(*complete_);
  for (size_t rank = 0; rank < step.ranks.size(); ++rank)
    if (step.ranks[rank].nodes.empty())
      return fmt::format("all nodes that had step {} of rank {} are gone", *complete_, rank);
  return "no step was complete yet";
}

void Board::begin(int64_t attempt, Ranks ranks) {
  const bool first = attempt_ == 0;
  const int64_t before = ranks_.size();
  attempt_ = attempt;
  why_none_ = first ? "" : why_none();
  if (!first && before != ranks.size())
    why_none_ = fmt::format("{} instead of {}", counted(ranks.size(), "rank"), before);
  if (!first) fit_steps(ranks.size());
  restored_ = off_ ? -1 : newest_restorable();
  ranks_ = std::move(ranks);
  std::erase_if(steps_, [&](const auto& step) { return step.first != restored_; });
  complete_ = restored_ >= 0 ? std::optional(restored_) : std::nullopt;
  target_.reset();
  wanted_.clear();
  restoring_.clear();
  std::vector<std::string> blocks;
  for (const std::string& node : ranks_.nodes) {
    const auto open = open_.find(node);
    blocks.push_back(open == open_.end() ? "" : open->second.block);
  }
  shifts_ = shifts_of_copies(blocks, static_cast<size_t>(copies_));
  if (first && !off_ && static_cast<int64_t>(shifts_.size()) < copies_)
    news_.push_back(
        fmt::format("{} of checkpoints instead of {}: the program runs on {}",
                    shifts_.size() == 1 ? "1 copy" : fmt::format("{} copies", shifts_.size()),
                    copies_, counted(ranks_.nodes.size(), "node")));
  from_disk_.clear();
  finder_.clear();
  if (disk_) disk_->begin(attempt_, ranks_, restored_);
  if (restored_ < 0) {
    look_on_disk(last_step);
  } else {
    order_restore();
  }
}

void Board::order_restore() {
  for (size_t i = 0; i < ranks_.nodes.size(); ++i) {
    const std::string& node = ranks_.nodes[i];
    if (!open_.contains(node)) continue;
    restoring_.insert(node);
    orders_.push_back({node, restore_order(static_cast<int64_t>(i))});
  }
  // Spares hold nothing.
  for (const auto& [node, open] : open_)
    if (std::ranges::find(ranks_.nodes, node) == ranks_.nodes.end())
      orders_.push_back({node, Restore{attempt_, -1, {}, ""}});
}

Restore Board::restore_order(int64_t node) const {
  Restore order = {attempt_, restored_, {}, "", 0};
  if (restored_from_disk()) {
    order.folder = disk_->folder();
    order.parts = parts_on_disk_;
  }
  for (int64_t i = 0; i < ranks_.ranks_per_node; ++i) {
    const int64_t rank = node * ranks_.ranks_per_node + i;
    RestoredRank each{rank, std::string(digest_bytes, '\0'), {}};
    if (restored_ >= 0) {
      const RankStep& step = steps_.at(restored_).ranks[static_cast<size_t>(rank)];
      each.digest = step.digest;
      each.sources = sources_of(rank, step);
    }
    order.ranks.push_back(std::move(each));
  }
  return order;
}

bool Board::is_ready() const {
  return restoring_.empty() && finder_.empty();
}

std::string Board::restored_text() const {
  if (off_ && restored_ < 0)
    return "fast checkpoints are off: the program loads its checkpoint from disk";
  if (restored_from_disk())
    return fmt::format("each rank has step {} from {}, written by job {}", restored_,
                       disk_->folder(), from_disk_);
  if (restored_ >= 0) return fmt::format("each rank has step {} from memory", restored_);
  if (why_none_.empty()) return "";
  return fmt::format("no step is left in memory ({}): the program loads its checkpoint from disk",
                     why_none_);
}

void Board::choose_target() {
  if (target_ || off_ || !restoring_.empty()) return;
  for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
    if (step->second.present < ranks_.size() || step->first <= complete_.value_or(-1)) continue;
    target_ = step->first;
    break;
  }
  if (target_) begin_copies();
}

void Board::begin_copies() {
  failures_.clear();
  wanted_.clear();
  const int64_t kept = complete_ == target_ ? -1 : complete_.value_or(-1);
  std::erase_if(steps_,
                [&](const auto& step) { return step.first < *target_ && step.first != kept; });
  to_all(retire(*target_, kept));
  for (int64_t rank = 0; rank < ranks_.size(); ++rank) {
    const std::set<std::string>& there = steps_.at(*target_).ranks[static_cast<size_t>(rank)].nodes;
    for (const std::string& place : places_of(rank))
      if (!there.contains(place)) order_copy(place, rank);
  }
  count_if_complete();
}

void Board::order_copy(const std::string& node, int64_t rank) {
  const RankStep& step = steps_.at(*target_).ranks[static_cast<size_t>(rank)];
  wanted_.insert({node, rank});
  orders_.push_back({node, Copy{rank, *target_, step.digest, sources_of(rank, step)}});
}

void Board::count_if_complete() {
  if (!target_ || !wanted_.empty()) return;
  if (complete_count_++ == 0)
    news_.push_back(fmt::format("step {} is the first in memory: each rank's on {}", *target_,
                                counted(shifts_.size() + 1, "node")));
  complete_ = std::exchange(target_, std::nullopt);
  std::erase_if(steps_, [&](const auto& step) { return step.first < *complete_; });
  if (disk_) {
    disk_->complete(*complete_, digests_of(steps_.at(*complete_)));
    take_from_disk_plan();
  }
  to_all(retire(*complete_, -1));
}

void Board::turn_off(const std::string& why) {
  if (off_) return;
  off_ = true;
  news_.push_back(fmt::format("fast checkpoints are off: {}", why));
  to_all(TurnOff{});
  steps_.clear();
  complete_.reset();
  target_.reset();
  if (disk_) disk_->give_up();
  if (restored_ < 0 || restoring_.empty()) return;
  // Some nodes do not have it yet.
  restored_ = -1;
  order_restore();
}

void Board::to_all(const ToKeeper& message) {
  for (const auto& [node, open] : open_) orders_.push_back({node, message});
}

std::vector<Order> Board::orders() {
  return std::exchange(orders_, {});
}

std::vector<std::string> Board::news() {
  return std::exchange(news_, {});
}

}  // namespace slipway::checkpoint
