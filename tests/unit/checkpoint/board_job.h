// Shared by the tests of the board: a job whose keepers are played by the test, and obey at once.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "launcher/checkpoint/board.h"
#include "tests/unit/catch.h"

namespace slipway::checkpoint {

using Texts = std::vector<std::string>;

// A digest that is different for each step and rank.
inline std::string digest_for(int64_t rank, int64_t step) {
  std::string digest(digest_bytes, 'd');
  digest[0] = static_cast<char>(rank);
  digest[1] = static_cast<char>(step);
  return digest;
}

// A job whose keepers obey at once.
struct Job {
  Board board;
  std::vector<std::string> nodes;
  int64_t ranks_per_node, attempt = 0;
  std::map<std::string, std::set<std::pair<int64_t, int64_t>>> there;  // step, rank
  std::set<std::string> cannot_copy;
  bool is_replicated = false;  // all ranks write the same
  size_t copies_made = 0;
  std::map<std::string, int64_t> programs_see;  // as complete
  Texts said;

  // On disk: what has been published, and whose parts cannot be read.
  std::map<int64_t, Texts> disk;
  std::set<int64_t> damaged;
  size_t writers = 0, most_writers = 0, found = 0;
  bool disk_is_full = false, disk_is_slow = false;
  std::vector<std::pair<std::string, Write>> slow;

  explicit Job(Texts names, int64_t copies = 2, int64_t per_node = 1)
      : Job(Board(copies), std::move(names), per_node) {}
  Job(Board with, Texts names, int64_t per_node = 1)
      : board(std::move(with)), nodes(std::move(names)), ranks_per_node(per_node) {
    for (const std::string& node : nodes) open(node);
    CHECK(board.has_opened(nodes));
    begin(nodes);
  }

  void open(const std::string& node) { board.heard(node, Open{4000, 1000, ""}); }

  void begin(const Texts& on) {
    nodes = on;
    board.begin(++attempt, {nodes, ranks_per_node});
    settle();
  }

  std::string digest_of(int64_t rank, int64_t step) const {
    return digest_for(is_replicated ? 0 : rank, step);
  }

  // A rank has written a step.
  void write(int64_t rank, int64_t step) {
    const std::string& node = nodes[static_cast<size_t>(rank / ranks_per_node)];
    there[node].insert({step, rank});
    board.heard(node, Kept{attempt, rank, step, 10, digest_of(rank, step)});
    settle();
  }
  void write_all(int64_t step) {
    for (int64_t rank = 0; rank < static_cast<int64_t>(nodes.size()) * ranks_per_node; ++rank)
      write(rank, step);
  }
  void lose(const std::string& node) {
    there.erase(node);
    board.gone(node);
  }

  void settle() {
    for (std::vector<Order> orders = board.orders(); !orders.empty(); orders = board.orders())
      for (const Order& each : orders)
        std::visit([&](const auto& message) { obey(each.node, message); }, each.message);
    for (const std::string& text : board.news()) said.push_back(text);
  }

  bool holds(const std::set<std::pair<int64_t, int64_t>>& held, int64_t step, int64_t rank) const {
    if (held.contains({step, rank})) return true;
    const auto is_step = [&](const auto& each) { return each.first == step; };
    return is_replicated && std::ranges::any_of(held, is_step);
  }
  bool has_source(const std::vector<Source>& sources, int64_t step, int64_t rank) const {
    for (const Source& source : sources) {
      const auto node = there.find(source.node);
      if (node != there.end() && holds(node->second, step, rank)) return true;
    }
    return false;
  }

  void obey(const std::string& node, const Copy& order) {
    if (cannot_copy.contains(node) || !has_source(order.sources, order.step, order.rank))
      return board.heard(node, Missing{attempt, order.rank, order.step, "no route"});
    CHECK(order.digest == digest_of(order.rank, order.step));
    ++copies_made;
    there[node].insert({order.step, order.rank});
    board.heard(node, Kept{attempt, order.rank, order.step, 10, order.digest});
  }
  void obey(const std::string& node, const Restore& order) {
    std::erase_if(there[node], [&](const auto& each) { return each.first != order.step; });
    std::string trouble;
    for (const RestoredRank& each : order.ranks) {
      if (order.step < 0 || there[node].contains({order.step, each.rank})) continue;
      if (!order.folder.empty()) {
        if (damaged.contains(order.step)) trouble = "it is damaged";
      } else if (!has_source(each.sources, order.step, each.rank))
        trouble = "no route";
      ++copies_made;
      there[node].insert({order.step, each.rank});
    }
    board.heard(node, Restored{order.attempt, order.step, trouble});
  }
  void obey(const std::string& node, const Retire& order) {
    programs_see[node] = order.complete;
    std::erase_if(there[node], [&](const auto& each) {
      return each.first < order.below && each.first != order.except && each.first != order.writing;
    });
  }
  void obey(const std::string& node, const TurnOff&) { there[node].clear(); }
  void obey(const std::string& node, const Write& order) {
    if (disk_is_slow) {
      most_writers = std::max(most_writers, ++writers);
      return slow.emplace_back(node, order), void();
    }
    std::string trouble = disk_is_full ? "/disk is full" : "";
    for (const Write::Part& part : order.parts) {
      CHECK(part.digest == digest_of(part.rank, order.to.step));
      if (!there[node].contains({order.to.step, part.rank})) trouble = "it is no longer in memory";
    }
    board.heard(node, Written{attempt, order.to.step, trouble});
  }
  // Nodes that were writing are done.
  void finish_writing() {
    disk_is_slow = false;
    for (const auto& [node, order] : std::exchange(slow, {})) obey(node, order);
    settle();
  }
  void obey(const std::string& node, const Publish& order) {
    disk[order.to.step] = order.digests;
    board.heard(node, Published{attempt, order.to.step, ""});
  }
  void obey(const std::string& node, const Find& order) {
    ++found;
    const auto after = disk.lower_bound(order.below);
    if (after == disk.begin()) return board.heard(node, Found{order.attempt, -1, {}, "", ""});
    const auto& [step, digests] = *std::prev(after);
    board.heard(node, Found{order.attempt, step, digests, "6", ""});
  }
};

inline const Texts eight = {"n0", "n1", "n2", "n3", "n4", "n5", "n6", "n7"};

}  // namespace slipway::checkpoint
