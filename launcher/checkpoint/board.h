// What the launcher knows about the steps in its nodes' memory, and what it does about them. It has
// no clock and no connection, so tests and simulations use it as the launcher does.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "launcher/checkpoint/disk_plan.h"
#include "launcher/checkpoint/messages.h"

namespace slipway::checkpoint {

class Board {
 public:
  // Each rank's step has a place on `copies` nodes besides its own.
  explicit Board(int64_t copies) : copies_(copies) {}
  // Complete steps are written to disk, too, and a job without steps in memory starts from there.
  Board(int64_t copies, DiskWish wish) : copies_(copies), disk_(std::move(wish)) {}

  // Throws Error on a rank that does not exist.
  void heard(const std::string& node, const FromKeeper& message);
  void gone(const std::string& node);

  // Whether every node has said that it can hold steps.
  bool has_opened(const std::vector<std::string>& nodes) const;

  // An attempt begins: its ranks get the newest step that is still there for all of them.
  void begin(int64_t attempt, Ranks ranks);
  // Whether all nodes that are here have what they need to start, or never will.
  bool is_ready() const;
  // The step that the ranks have, or -1, whether from disk, and a sentence about it.
  int64_t restored_step() const { return restored_; }
  bool restored_from_disk() const { return restored_ >= 0 && !from_disk_.empty(); }
  std::string restored_text() const;

  // The newest step that all ranks have and that fits any number of ranks, because all ranks wrote
  // the same; after a restart on another number of ranks, they would begin with it.
  std::optional<int64_t> step_for_any_world() const;

  // The newest step that all ranks have in all places.
  std::optional<int64_t> complete_step() const { return complete_; }
  int64_t complete_count() const { return complete_count_; }

  bool is_off() const { return off_; }
  bool is_writing_to_disk() const { return disk_ && disk_->writing(); }

  // Messages for keepers, and lines for the user, since the last call.
  std::vector<Order> orders();
  std::vector<std::string> news();

 private:
  struct RankStep {
    std::string digest;           // as its own node has it; empty: not there yet
    std::set<std::string> nodes;  // that have it
  };
  struct Step {
    std::vector<RankStep> ranks;
    int64_t present = 0;  // ranks with a digest
  };

  // Whether all ranks wrote the same. Then any rank's part serves any rank.
  static bool is_replicated(const Step& step);
  // Ranks whose part is nowhere, or that are new, get it from those that have the same.
  static void spread(Step& step, int64_t ranks);
  // Before ranks_ changes. Steps that do not fit go.
  void fit_steps(int64_t ranks);

  void hear(const std::string& node, const Open& open);
  void hear(const std::string& node, const Kept& kept);
  void hear(const std::string& node, const Missing& missing);
  void hear(const std::string& node, const Restored& restored);
  void hear(const std::string& node, const Notice& notice);
  void hear(const std::string& node, const Off& off);
  void hear(const std::string& node, const Written& written);
  void hear(const std::string& node, const Published& published);
  void hear(const std::string& node, const Found& found);

  void check_rank(int64_t rank) const;
  const std::string& node_of(int64_t rank) const;
  std::vector<std::string> places_of(int64_t rank) const;
  std::vector<Source> sources_of(int64_t rank, const RankStep& step) const;
  bool can_restore(const Step& step) const;
  int64_t newest_restorable() const;
  std::string why_none() const;
  // Nothing in memory can be restored: asks a node for the newest step on disk before `below`.
  void look_on_disk(int64_t below);
  void order_restore();
  static std::vector<std::string> digests_of(const Step& step);
  Retire retire(int64_t below, int64_t except) const;
  void take_from_disk_plan();
  Restore restore_order(int64_t node) const;
  int64_t index_of(const std::string& node) const;  // in ranks_
  void choose_target();
  void begin_copies();
  void order_copy(const std::string& node, int64_t rank);
  void count_if_complete();
  void abandon_target(const std::string& why);
  void turn_off(const std::string& why);
  void to_all(const ToKeeper& message);

  int64_t copies_;
  std::map<std::string, Open> open_;  // nodes that are here
  int64_t attempt_ = 0;
  Ranks ranks_;
  std::vector<size_t> shifts_;
  std::map<int64_t, Step> steps_;
  std::optional<int64_t> complete_, target_;
  std::set<std::pair<std::string, int64_t>> wanted_;  // of the target: node, rank
  std::map<std::pair<std::string, int64_t>, int> failures_;
  int64_t complete_count_ = 0;
  int64_t restored_ = -1;
  std::string why_none_;  // after begin(), if nothing is restored
  std::optional<DiskPlan> disk_;
  std::string finder_;               // the node that looks on disk
  int64_t below_ = 0;                // it looks for steps before this
  std::string from_disk_;            // the job that wrote the restored step
  int64_t parts_on_disk_ = 0;        // of the restored step
  std::set<std::string> restoring_;  // nodes
  bool off_ = false, has_told_failure_ = false;
  std::vector<Order> orders_;
  std::vector<std::string> news_;
};

}  // namespace slipway::checkpoint
