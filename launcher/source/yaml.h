// YAML as a tree with places: what the blueprint, module files and the catalogue are read from.
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
  Span span;                   // a scalar's with its quotes; an empty value's is what it belongs to
  std::string tag;             // "tag:yaml.org,2002:str" for !!str; empty without one
  std::string text;            // a scalar's, without quotes and escapes
  std::vector<Node> items;     // of a sequence
  std::vector<Entry> entries;  // of a mapping, in the order of the file

  bool is_scalar() const { return kind == Kind::scalar; }
  bool is_sequence() const { return kind == Kind::sequence; }
  bool is_mapping() const { return kind == Kind::mapping; }
  bool is_null() const;

  // The value or the whole entry of a key of a mapping; nullptr without it or on anything else.
  const Node* find(std::string_view key) const;
  const Entry* find_entry(std::string_view key) const;
};

struct Entry {
  std::string key;
  Span key_span;
  Node value;
};

// What a scalar means by the Toolkit's reader: `yes` is a string, 010 is eight, 1_000 is a thousand. Numbers are
// long double, which holds every 64-bit integer exactly.
using Scalar = std::variant<std::monostate, bool, long double, std::string>;
Scalar resolve(const Node& scalar);

// "a list", "a mapping", "nothing", "a number": for messages.
std::string_view describe(const Node& node);

// Reads one file. Syntax errors, duplicate keys (at the second key), and a second document are
// diagnostics; nothing is returned after a syntax error. Anchors are followed, `<<` is merged.
// `file` is the span that Sources::add returned.
std::optional<Node> read_yaml(Span file, const Sources& sources, Diagnostics& diagnostics);

// Where each byte of a scalar's text stands in the source, one offset more than the text has bytes:
// so that an error in the middle of a text points at the right column whatever its quoting.
std::vector<uint32_t> text_offsets(const Node& scalar, const Sources& sources);

}  // namespace slipway::source
