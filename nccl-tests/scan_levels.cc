// The levels below pairs, and how they explain a node that was named.
#include "nccl-tests/scan_levels.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "common/error.h"
#include "common/median.h"
#include "common/text.h"

namespace slipway::bandwidth {
namespace {

constexpr char between_levels = '\n', between_words = '|';

// A word of the text form, without the characters that separate words.
std::string level_word(std::string text) {
  for (char& c : text) {
    if (c == between_words || c == '\t' || c == '\n') c = ' ';
  }
  return text;
}

bool is_same_kind(const NodeLevel& a, const NodeLevel& b) {
  return a.part == b.part && a.does == b.does;
}

// "interface enp0s12" and "interface enp6s0" have the same family.
std::string family_of(const NodeLevel& level) {
  return split(level.part, ' ').front();
}

// What a part does in the other direction; empty if it has none.
std::string opposite(const std::string& does) {
  for (const auto& [one, other] :
       {std::pair{"sends", "receives"}, std::pair{"sends to the host", "receives from the host"}}) {
    if (does == one) return other;
    if (does == other) return one;
  }
  return "";
}

class Explainer {
 public:
  Explainer(int node, const std::vector<NodeLevel>& levels, const std::vector<int>& healthy,
            double detect)
      : node_(node), levels_(levels), healthy_(healthy), detect_(detect) {}

  std::vector<std::string> take() {
    for (const NodeLevel& level : levels_) {
      if (level.node == node_) judge_level(level);
    }
    if (found_.empty()) found_.push_back(nothing());
    if (!not_asked_.empty()) found_.push_back("not asked: " + join(not_asked_, ", "));
    return std::move(found_);
  }

 private:
  std::string nothing() const {
    if (compared_ == 0) return "no healthy node was examined, so nothing inside it can be judged";
    return "nothing inside the node explains it: check its links";
  }

  void judge_level(const NodeLevel& level) {
    if (!level.was_asked) {
      not_asked_.push_back(fmt::format("{} ({})", level.part, level.why));
      return;
    }
    if (!level.gb_per_s) {
      found_.push_back(fmt::format("{}: {}", level.part, level.why));
      return;
    }
    const std::optional<double> least = least_of_healthy(level);
    if (!least) return;
    ++compared_;
    if (*level.gb_per_s >= (1 - detect_) * *least) return;
    found_.push_back(fmt::format("{} {} {:.3g} GB/s, {:.3g} or more on healthy nodes{}{}",
                                 level.part, level.does, *level.gb_per_s, *least, beside(level),
                                 other_direction(level)));
  }

  std::optional<double> least_of_healthy(const NodeLevel& level) const {
    std::optional<double> least;
    for (const NodeLevel& other : levels_) {
      if (!is_same_kind(level, other) || !other.gb_per_s) continue;
      if (std::ranges::count(healthy_, other.node) == 0) continue;
      least = std::min(least.value_or(*other.gb_per_s), *other.gb_per_s);
    }
    return least;
  }

  // ", the node's others 11.8": the median of the same family.
  std::string beside(const NodeLevel& level) const {
    std::vector<double> others;
    for (const NodeLevel& other : levels_) {
      const bool differs = other.node == node_ && other.part != level.part;
      if (differs && other.does == level.does && other.gb_per_s &&
          family_of(other) == family_of(level))
        others.push_back(*other.gb_per_s);
    }
    return others.empty() ? "" : fmt::format(", the node's others {:.3g}", median(others));
  }

  // "; only this direction is slow: it receives 11.8": if the other one was measured and is right.
  std::string other_direction(const NodeLevel& level) const {
    for (const NodeLevel& other : levels_) {
      const bool is_it = other.node == node_ && other.part == level.part && other.gb_per_s &&
                         other.does == opposite(level.does);
      if (!is_it) continue;
      const std::optional<double> least = least_of_healthy(other);
      if (least && *other.gb_per_s >= (1 - detect_) * *least)
        return fmt::format("; only this direction is slow: it {} {:.3g}", other.does,
                           *other.gb_per_s);
    }
    return "";
  }

  int node_;
  const std::vector<NodeLevel>& levels_;
  const std::vector<int>& healthy_;
  double detect_;
  int compared_ = 0;
  std::vector<std::string> found_, not_asked_;
};

}  // namespace

std::string to_text(const std::vector<NodeLevel>& levels) {
  std::vector<std::string> lines;
  for (const NodeLevel& level : levels) {
    lines.push_back(fmt::format("{}|{}|{}|{}|{}", level_word(level.part), level_word(level.does),
                                level.gb_per_s ? fmt::format("{:.17g}", *level.gb_per_s) : "",
                                level_word(level.why), level.was_asked ? 1 : 0));
  }
  return join(lines, std::string(1, between_levels));
}

std::vector<NodeLevel> parse_node_levels(const std::string& text, int node) {
  std::vector<NodeLevel> levels;
  for (const std::string& line : split(text, between_levels)) {
    if (line.empty()) continue;
    const std::vector<std::string> words = split(line, between_words);
    if (words.size() != 5) throw Error("a rank sent invalid levels of its node");
    NodeLevel level{.node = node, .part = words[0], .does = words[1], .gb_per_s = {}};
    if (!words[2].empty()) level.gb_per_s = to_number<double>(words[2]);
    level.why = words[3];
    level.was_asked = words[4] == "1";
    if (!level.gb_per_s && level.why.empty()) throw Error("a rank sent invalid levels of its node");
    levels.push_back(std::move(level));
  }
  return levels;
}

std::vector<std::string> explain(int node, const std::vector<NodeLevel>& levels,
                                 const std::vector<int>& healthy, double detect) {
  return Explainer(node, levels, healthy, detect).take();
}

}  // namespace slipway::bandwidth
