// Reads YAML into a tree whose nodes know their place in the source: blueprints, module files and
// the catalogue.
//
//   Sources sources;
//   Diagnostics diagnostics(sources);
//   std::optional<Node> root = read_yaml(sources.add("x.yaml", text), sources, diagnostics);
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "launcher/source/diagnostics.h"

namespace slipway::source {

enum class Kind { scalar, sequence, mapping };
enum class Style { plain, single_quoted, double_quoted, literal, folded };

struct Entry;

struct Node {
  Kind kind = Kind::scalar;
  Style style = Style::plain;  // of a scalar
  Span span;                // a scalar's includes its quotes; an empty value's is its key or item
  std::string tag;          // "tag:yaml.org,2002:str" for !!str; empty without one
  std::string text;         // of a scalar, without quotes and escapes
  std::vector<Node> items;  // of a sequence
  std::vector<Entry> entries;  // of a mapping, in file order

  bool is_scalar() const { return kind == Kind::scalar; }
  bool is_sequence() const { return kind == Kind::sequence; }
  bool is_mapping() const { return kind == Kind::mapping; }
  bool is_null() const;

  // The value or the entry of a key in a mapping; nullptr if it is missing or this is not a
  // mapping.
  const Node* find(std::string_view key) const;
  const Entry* find_entry(std::string_view key) const;
};

struct Entry {
  std::string key;
  Span key_span;
  Node value;
};

// The value of a scalar as Cluster Toolkit reads it: `yes` is a string, 010 is eight, 1_000 is a
// thousand. Numbers are long double, which holds every 64-bit integer exactly.
using Scalar = std::variant<std::monostate, bool, long double, std::string>;
Scalar resolve(const Node& scalar);

// "a list", "a mapping", "nothing", "a number": for messages.
std::string_view describe(const Node& node);

// Reads one file; `file` is the span that Sources::add returned. Reports syntax errors, duplicate
// keys (at the second key) and a second document; returns nothing after a syntax error. Expands
// aliases and merges `<<`.
std::optional<Node> read_yaml(Span file, const Sources& sources, Diagnostics& diagnostics);

// The source offset of each byte of a scalar's text, plus one for its end, so that an error inside
// the text points at the right column whatever its quoting.
std::vector<uint32_t> text_offsets(const Node& scalar, const Sources& sources);

}  // namespace slipway::source
