// Which steps are written to disk, by which nodes, and how far that is. Like the board, of which it
// is a part, it has no clock and no connection.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "launcher/checkpoint/messages.h"

namespace slipway::checkpoint {

struct Order {
  std::string node;
  ToKeeper message;
};

// Where an attempt's ranks are: node i has `ranks_per_node` of them from i * ranks_per_node on.
struct Ranks {
  std::vector<std::string> nodes;
  int64_t ranks_per_node = 1;
  int64_t size() const { return static_cast<int64_t>(nodes.size()) * ranks_per_node; }
};

// What the user wants on disk.
struct DiskWish {
  std::string folder;  // absolute
  int64_t every = 1;   // at least so many steps after the one before
  std::string job;
};

class DiskPlan {
 public:
  explicit DiskPlan(DiskWish wish) : wish_(std::move(wish)) {}

  const std::string& folder() const { return wish_.folder; }

  // An attempt begins at this step, or -1. What was being written is given up.
  void begin(int64_t attempt, Ranks ranks, int64_t step);
  // All ranks have the step, with these digests. It is written if it is due.
  void complete(int64_t step, std::vector<std::string> digests);
  void heard(const std::string& node, const Written& written);
  void heard(const Published& published);
  void give_up() { writing_.reset(); }

  // The step that is being written.
  std::optional<int64_t> writing() const;

  // Messages for keepers, and lines for the user, since the last call.
  std::vector<Order> orders() { return std::exchange(orders_, {}); }
  std::vector<std::string> news() { return std::exchange(news_, {}); }

 private:
  struct Writing {
    int64_t step = 0;
    std::vector<std::string> digests;
    std::deque<size_t> waiting;     // nodes whose turn comes
    std::set<std::string> at_work;  // nodes that write
  };

  DiskStep place() const;
  void order_next();
  void fail(const std::string& why);

  const DiskWish wish_;
  int64_t attempt_ = 0;
  Ranks ranks_;
  int64_t last_ = 0;  // that was written, or began the job
  std::optional<Writing> writing_;
  bool has_told_success_ = false, has_told_failure_ = false;
  std::vector<Order> orders_;
  std::vector<std::string> news_;
};

}  // namespace slipway::checkpoint
