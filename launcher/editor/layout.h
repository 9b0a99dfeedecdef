// Decides the layout of a YAML file from its events: two spaces for each level, and lists at the
// column of their key, as Cluster Toolkit writes blueprints.
//
// Every line that begins a key or an item gets its level's column. The lines of a block scalar move
// with it. Other lines, such as those of a flow collection, keep their distance from the level they
// are in.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/editor/lines.h"
#include "launcher/source/yaml_events.h"

namespace slipway::editor {

class Layout {
 public:
  // `base` is the offset of the text's first byte, as the events count.
  Layout(std::string_view text, uint32_t base) : lines_(text), base_(base) {}

  // Takes the events of the text one by one, up to the end of the stream.
  void take(const source::YamlEvent& event);

  std::string text() const { return lines_.changed(); }

 private:
  // A block collection, and the columns of its keys or dashes before and after.
  struct Level {
    bool is_sequence = false;
    bool placed = false;        // its columns are known
    bool has_key = false;       // of a mapping: the next node is a value
    bool explicit_key = false;  // the latest key has a `?`
    size_t old_column = 0;
    size_t new_column = 0;
    // The new column of what is neither a key nor an item.
    size_t moved(size_t column) const;
  };
  // What is written of a node before its children: a scalar, or the tag and the anchor of a block
  // collection.
  struct Head {
    size_t begin = 0;
    size_t end = 0;
    bool empty() const { return begin == end; }
  };

  // layout.cc: scalars and collections
  void take_in_flow(const source::YamlEvent& event);
  void open_flow(Head head);
  void open_block(Head head, bool is_sequence);
  void scalar(Head head, source::Style style);
  void block_scalar(size_t header, size_t end);
  void move_lines(size_t begin, size_t end);
  void keep_ends(size_t begin, size_t end);
  Head own_properties(size_t at) const;
  // The end of a tag and an anchor, and the beginning of what follows them.
  struct Properties {
    size_t end = 0;
    size_t next = 0;
  };
  Properties properties_at(size_t at) const;
  size_t offset(uint32_t place) const { return place - base_; }

  // layout_levels.cc: where keys, items and comments go
  Level* level() { return depth_ == 0 ? nullptr : &levels_[depth_ - 1]; }
  void begin_node(Head head);
  void begin_item(Level& sequence, Head head);
  void begin_key(Level& mapping, Head head);
  void begin_value(const Level& mapping, Head head);
  void begin_on_line(const Level& level, Head head);
  void place(Level& level, size_t at);
  void put_on_line(const Level& level, size_t at);
  size_t column_in(const Level& parent, bool is_sequence, size_t old_column) const;
  size_t find_indicator(char indicator, size_t end) const;
  void pass_gap(size_t end_line, size_t old_column, size_t new_column);
  size_t comment_column(size_t column) const;

  Lines lines_;
  uint32_t base_;
  std::vector<Level> levels_;  // the open ones up to depth_, then those that just ended
  size_t depth_ = 0;
  size_t at_ = 0;  // the end of what was taken
  size_t flow_depth_ = 0;
  size_t flow_begin_ = 0;
  // After a block scalar, a comment has to be left of its text: the columns of its text and its
  // level.
  size_t text_column_ = Line::npos;
  size_t text_level_ = 0;
};

}  // namespace slipway::editor
