// The YAML reader: builds a tree of nodes from libyaml's events.
#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <unordered_map>

#include "launcher/source/yaml.h"
#include "launcher/source/yaml_bytes.h"
#include "launcher/source/yaml_events.h"
#include "launcher/source/yaml_mistake.h"
#include "launcher/source/yaml_text.h"

namespace slipway::source {
namespace {

// Aliases are copied. This many values are enough for every real file, and too few for a file made
// to fill the memory. A long text counts as several values.
constexpr size_t value_limit = 100'000;
constexpr size_t bytes_per_value = 64;

// Up to this many entries, a linear search is as fast as an index.
constexpr size_t linear_search_limit = 16;

// Trees are walked by recursion, and aliases can nest them deeper than the text.
constexpr size_t depth_limit = 200;

struct TooMany {
  Span span;
  bool copied = false;  // the file has aliases
};

struct TooDeep {
  Span span;
};

struct WithinItself {
  Span alias;
};

struct NoAnchor {
  Span alias;
};

// The length of `&name` at the beginning of `text`.
size_t anchor_length(std::string_view text) {
  const auto is_part = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
  };
  return static_cast<size_t>(std::find_if_not(text.begin() + 1, text.end(), is_part) -
                             text.begin());
}

// The cost of a copy in values, and its depth in levels.
struct Extent {
  size_t values = 1;
  size_t depth = 0;
};

Extent extent_of(const Node& node) {
  Extent extent{1 + node.text.size() / bytes_per_value, 0};
  const auto add = [&extent](const Node& part) {
    const Extent inner = extent_of(part);
    extent.values += inner.values;
    extent.depth = std::max(extent.depth, inner.depth + 1);
  };
  for (const Node& item : node.items) add(item);
  for (const Entry& entry : node.entries) {
    extent.values += entry.key.size() / bytes_per_value;
    add(entry.value);
  }
  return extent;
}

class TreeBuilder {
 public:
  TreeBuilder(Span file, const Sources& sources, Diagnostics& diagnostics)
      : file_(file), sources_(sources), diagnostics_(diagnostics) {}

  bool has_root() const { return has_root_; }
  Node take_root() {
    has_root_ = false;
    return std::move(root_);
  }

  YamlProgress progress() const {
    const auto open = std::find_if(stack_.rbegin(), stack_.rend(),
                                   [](const Open& collection) { return collection.bracketed; });
    return {open == stack_.rend() ? Span{} : open->node.span, last_event_};
  }

  void take(YamlEvent event) {
    last_event_ = event.span.begin;
    switch (event.kind) {
      case YamlEventKind::scalar:
        return scalar(std::move(event));
      case YamlEventKind::alias:
        return alias(event);
      case YamlEventKind::sequence_start:
        return open(Kind::sequence, std::move(event));
      case YamlEventKind::mapping_start:
        return open(Kind::mapping, std::move(event));
      case YamlEventKind::sequence_end:
      case YamlEventKind::mapping_end:
        return close(event.span);
      case YamlEventKind::document_start:
      case YamlEventKind::stream_end:
        return;
    }
  }

 private:
  // A collection whose end has not been read.
  struct Open {
    Node node;
    std::string anchor;
    bool bracketed = false;
    bool has_key = false;
    bool key_is_text = false;
    std::string key;
    Span key_span;
    Span last_seen;  // the latest key or item, reported as the place of an empty value
    std::vector<Node> merges;
    // The places of the keys of a large mapping; a small one is searched.
    std::unordered_map<std::string, Span> keys;

    // The place of a key, or empty.
    Span find(const std::string& name) const {
      if (node.entries.size() > linear_search_limit) {
        const auto found = keys.find(name);
        return found == keys.end() ? Span() : found->second;
      }
      const auto found = std::ranges::find(node.entries, name, &Entry::key);
      return found == node.entries.end() ? Span() : found->key_span;
    }

    void put(Entry entry) {
      node.entries.push_back(std::move(entry));
      if (node.entries.size() == linear_search_limit + 1) {
        for (const Entry& each : node.entries) keys.emplace(each.key, each.key_span);
      } else if (node.entries.size() > linear_search_limit) {
        keys.emplace(node.entries.back().key, node.entries.back().key_span);
      }
    }
  };

  void scalar(YamlEvent event) {
    Node node;
    // There may be nothing after a tag.
    const uint32_t begin = std::min(after_properties(event.span.begin), event.span.end);
    const bool plain = event.style == Style::plain;
    if (plain && event.tag.empty() && event.text.empty()) {
      // An empty value gets the place of its key or item.
      node.span = stack_.empty() ? Span{file_.begin, file_.begin} : stack_.back().last_seen;
      return add(std::move(node), event.anchor);
    }
    node.text = std::move(event.text);
    node.tag = std::move(event.tag);
    node.style = event.style;
    node.span = {begin, event.span.end};
    if (plain) check_ends(node.span, sources_, diagnostics_);
    if (node.style == Style::literal || node.style == Style::folded) {
      // libyaml's span includes the empty lines that follow.
      node.span.end = begin + block_end(sources_.text({begin, event.span.end}), node.text);
    }
    add(std::move(node), event.anchor);
  }

  void alias(const YamlEvent& event) {
    const Span here{event.span.begin, event.span.begin + 1};
    const auto original = anchors_.find(event.anchor);
    if (original == anchors_.end()) {
      if (is_open(event.anchor)) throw WithinItself{here};
      throw NoAnchor{event.span};
    }
    const Extent extent = extent_of(original->second);
    count_copy(extent, here);
    if (stack_.size() + extent.depth > depth_limit) throw TooDeep{here};
    place(original->second);
  }

  bool is_open(const std::string& anchor) const {
    return std::ranges::any_of(stack_,
                               [&anchor](const Open& open) { return open.anchor == anchor; });
  }

  // Skips the tag and the anchor at the beginning of a node.
  uint32_t after_properties(uint32_t at) const {
    std::string_view rest = sources_.rest(at);
    const size_t whole = rest.size();
    while (rest.starts_with('&') || rest.starts_with('!')) {
      // A tag may contain nearly any character, an anchor's name only a few.
      rest.remove_prefix(rest[0] == '!' ? std::min(rest.find_first_of(" \t\r\n,[]{}"), rest.size())
                                        : anchor_length(rest));
      rest.remove_prefix(std::min(rest.find_first_not_of(" \t\r\n"), rest.size()));
    }
    return at + static_cast<uint32_t>(whole - rest.size());
  }

  void open(Kind kind, YamlEvent event) {
    Open collection;
    collection.node.kind = kind;
    const uint32_t begin = after_properties(event.span.begin);
    collection.node.span = {begin, std::min(begin + 1, file_.end)};
    collection.anchor = std::move(event.anchor);
    collection.bracketed = event.bracketed;
    collection.last_seen = collection.node.span;
    if (stack_.size() >= depth_limit) throw TooDeep{collection.node.span};
    stack_.push_back(std::move(collection));
  }

  void close(Span end) {
    Open done = std::move(stack_.back());
    stack_.pop_back();
    merge(done);
    if (done.bracketed) done.node.span.end = std::max(done.node.span.end, end.end);
    add(std::move(done.node), done.anchor);
  }

  // `<<: *a` adds the keys of `a` that the mapping does not have.
  static void merge(Open& done) {
    for (Node& source : done.merges) {
      for (Entry& entry : source.entries) {
        if (!done.find(entry.key)) done.put(std::move(entry));
      }
    }
  }

  void add(Node node, const std::string& anchor) {
    if (++values_ > value_limit) throw TooMany{node.span, copied_};
    if (!anchor.empty()) {
      count_copy(extent_of(node), node.span);
      anchors_[anchor] = node;
    }
    place(std::move(node));
  }

  void count_copy(const Extent& extent, Span span) {
    copied_ = true;
    values_ += extent.values;
    if (values_ > value_limit) throw TooMany{span, copied_};
  }

  void place(Node node) {
    if (stack_.empty()) {
      root_ = std::move(node);
      has_root_ = true;
      return;
    }
    Open& parent = stack_.back();
    const Span span = node.span;
    if (parent.node.is_sequence()) {
      parent.node.items.push_back(std::move(node));
    } else if (!parent.has_key) {
      take_key(parent, node);
    } else {
      parent.has_key = false;
      take_value(parent, std::move(node));
    }
    parent.last_seen = span;
    parent.node.span.end = std::max(parent.node.span.end, span.end);
  }

  void take_key(Open& parent, const Node& node) {
    if (!node.is_scalar()) {
      diagnostics_
          .error(Code::key_not_text, node.span,
                 fmt::format("a key must be a string, but this is {}", describe(node)))
          .help("quote a string that begins with `{` or `[`");
    } else if (begins_item(parent, node)) {
      next_item(parent, node);
    }
    parent.has_key = true;
    parent.key_is_text = node.is_scalar();
    parent.key = node.text;
    parent.key_span = node.span;
  }

  // True if the first key of a list item comes again: the dash of the next item is missing.
  bool begins_item(const Open& parent, const Node& key) const {
    return !parent.node.entries.empty() && parent.node.entries[0].key == key.text &&
           stack_.size() > 1 && stack_[stack_.size() - 2].node.is_sequence() && !parent.bracketed;
  }

  void next_item(Open& parent, const Node& key) {
    diagnostics_.error(Code::duplicate_key, key.span, fmt::format("duplicate key `{}`", key.text))
        .other(parent.node.entries[0].key_span, "first defined here")
        .help("the next item of a list begins with `- `");
    merge(parent);
    parent.merges.clear();
    parent.keys.clear();
    Node next;
    next.kind = Kind::mapping;
    next.span = key.span;
    std::swap(parent.node, next);
    stack_[stack_.size() - 2].node.items.push_back(std::move(next));
  }

  void take_value(Open& parent, Node node) {
    if (!parent.key_is_text) return;
    if (parent.key == "<<") {
      if (node.is_mapping()) {
        parent.merges.push_back(std::move(node));
      } else {
        std::move(node.items.begin(), node.items.end(), std::back_inserter(parent.merges));
      }
      return;
    }
    if (const Span first = parent.find(parent.key)) {
      diagnostics_
          .error(Code::duplicate_key, parent.key_span,
                 fmt::format("duplicate key `{}`", parent.key))
          .other(first, "first defined here");
      return;
    }
    parent.put({parent.key, parent.key_span, std::move(node)});
  }

  Span file_;
  const Sources& sources_;
  Diagnostics& diagnostics_;
  Node root_;
  bool has_root_ = false;
  uint32_t last_event_ = 0;
  std::vector<Open> stack_;
  std::map<std::string, Node, std::less<>> anchors_;
  size_t values_ = 0;
  bool copied_ = false;  // the file has anchors or aliases
};

void report_second_document(uint32_t at, Diagnostics& diagnostics) {
  diagnostics.error(Code::second_document, {at, at + 1}, "a second YAML document begins here")
      .help(
          "a file can have only one document; a line indented less than the one above it may start "
          "another");
}

// Keys after a `---` are kept, so that they are not reported as missing.
void append(Node& root, Node second) {
  std::set<std::string> keys;
  for (const Entry& entry : root.entries) keys.insert(entry.key);
  for (Entry& entry : second.entries) {
    if (keys.insert(entry.key).second) root.entries.push_back(std::move(entry));
  }
}

}  // namespace

std::optional<Node> read_yaml(Span file, const Sources& sources, Diagnostics& diagnostics) {
  if (!check_bytes(file, sources, diagnostics)) return std::nullopt;
  YamlEvents events(file, sources);
  TreeBuilder builder(file, sources, diagnostics);
  std::optional<Node> root;
  try {
    for (YamlEvent event = events.next(); event.kind != YamlEventKind::stream_end;
         event = events.next()) {
      builder.take(std::move(event));
      if (!builder.has_root()) continue;
      Node document = builder.take_root();
      if (root) {
        report_second_document(document.span.begin, diagnostics);
        append(*root, std::move(document));
        return root;
      }
      root = std::move(document);
    }
    if (root) return root;
    Node empty;
    empty.span = {file.begin, file.begin};
    return empty;
  } catch (const YamlProblem& problem) {
    if (root && begins_document(problem, sources)) {
      report_second_document(problem.at, diagnostics);
      return root;
    }
    YamlMistake mistake = explain_mistake(problem, builder.progress(), file, sources);
    diagnostics.error(mistake.code, mistake.span, std::move(mistake.message))
        .help(std::move(mistake.help));
  } catch (const NoAnchor& none) {
    diagnostics.error(Code::yaml_syntax, none.alias, "this alias has no anchor")
        .help("quote a string that begins with `*`");
  } catch (const TooMany& many) {
    diagnostics.error(
        Code::too_many_aliases, many.span,
        fmt::format("{} more than {} values", many.copied ? "aliases expand to" : "this file has",
                    value_limit));
  } catch (const TooDeep& deep) {
    diagnostics.error(Code::yaml_syntax, deep.span, "this is nested too deeply");
  } catch (const WithinItself& within) {
    diagnostics.error(Code::yaml_syntax, within.alias, "this alias is inside its own anchor");
  }
  return std::nullopt;
}

}  // namespace slipway::source
