// The YAML reader: yaml-cpp's events become our tree. Nothing else here includes yaml-cpp.
#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <istream>
#include <map>
#include <set>
#include <streambuf>
#include <unordered_map>

#include "launcher/source/yaml.h"
#include "launcher/source/yaml_bytes.h"
#include "launcher/source/yaml_mistake.h"
#include "launcher/source/yaml_text.h"

namespace slipway::source {
namespace {

// Aliases copy what they stand for; this many values are enough for every real file and too few for
// one made to fill the memory. A long text that is copied counts as several.
constexpr size_t value_limit = 100'000;
constexpr size_t bytes_a_value = 64;

// Trees are walked by recursion, and aliases make them deeper than any text is.
constexpr size_t depth_limit = 200;

struct TooMany {
  Span span;
  bool copied = false;  // aliases have a part in it
};

struct TooDeep {
  Span span;
};

struct WithinItself {
  Span alias;
};

// yaml-cpp takes the end of the file for a closing quote.
struct NotClosed {
  Span quote;
};

// What a copy costs, and how many levels it has.
struct Extent {
  size_t values = 1;
  size_t depth = 0;
};

Extent extent_of(const Node& node) {
  Extent extent{1 + node.text.size() / bytes_a_value, 0};
  const auto add = [&extent](const Node& part) {
    const Extent inner = extent_of(part);
    extent.values += inner.values;
    extent.depth = std::max(extent.depth, inner.depth + 1);
  };
  for (const Node& item : node.items) add(item);
  for (const Entry& entry : node.entries) {
    extent.values += entry.key.size() / bytes_a_value;
    add(entry.value);
  }
  return extent;
}

class TreeBuilder final : public YAML::EventHandler {
 public:
  TreeBuilder(Span file, const Sources& sources, Diagnostics& diagnostics)
      : file_(file), sources_(sources), diagnostics_(diagnostics) {}

  Node take_root() { return std::move(root_); }

  // The innermost `[` or `{` whose end has not come, or no place.
  Span open_bracket() const {
    for (auto open = stack_.rbegin(); open != stack_.rend(); ++open) {
      if (is_bracketed(open->node)) return open->node.span;
    }
    return {};
  }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    Node node;
    node.text = "null";
    // The mark of an empty value is that of the next token, which may be lines away.
    const std::string_view here = sources_.rest(offset(mark));
    for (std::string_view word : {"~", "null", "Null", "NULL"}) {
      const char after = here.size() > word.size() ? here[word.size()] : '\n';
      if (here.starts_with(word) &&
          std::string_view(" \t\r\n,]}:").find(after) != std::string_view::npos) {
        node.span = {offset(mark), offset(mark) + static_cast<uint32_t>(word.size())};
      }
    }
    if (!node.span) {
      node.text.clear();
      node.span = stack_.empty() ? Span{file_.begin, file_.begin} : stack_.back().last_seen;
    }
    add(std::move(node), anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const Span here{offset(mark), offset(mark) + 1};
    const auto original = anchors_.find(anchor);
    if (original == anchors_.end()) throw WithinItself{here};
    const Extent extent = extent_of(original->second);
    count_copy(extent, here);
    if (stack_.size() + extent.depth > depth_limit) throw TooDeep{here};
    place(original->second);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    Node node;
    node.text = value;
    if (tag != "?" && tag != "!") node.tag = tag;
    const uint32_t begin = after_properties(offset(mark));
    const std::string_view raw = sources_.rest(begin);
    node.style = style_of(raw);
    const ScalarExtent extent = scalar_extent(raw, node.style, value);
    if (!extent.closed) throw NotClosed{{begin, begin + 1}};
    node.span = {begin, begin + static_cast<uint32_t>(extent.length)};
    add(std::move(node), anchor);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(Kind::sequence, mark, anchor);
  }
  void OnSequenceEnd() override { close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(Kind::mapping, mark, anchor);
  }
  void OnMapEnd() override { close(); }

 private:
  // A collection whose end has not come yet.
  struct Open {
    Node node;
    YAML::anchor_t anchor = YAML::NullAnchor;
    bool has_key = false;
    bool key_is_text = false;
    std::string key;
    Span key_span;
    Span last_seen;  // the latest key or item: the place of an empty value
    std::vector<Node> merges;
    std::unordered_map<std::string, Span> keys;  // of the mapping, and where they stand
  };

  uint32_t offset(const YAML::Mark& mark) const {
    const auto pos = static_cast<uint32_t>(std::max(mark.pos, 0));
    return std::min(file_.begin + pos, file_.end);
  }

  // A node's mark is that of its tag or anchor, when it has one.
  uint32_t after_properties(uint32_t at) const {
    std::string_view rest = sources_.rest(at);
    const size_t whole = rest.size();
    while (rest.starts_with('&') || rest.starts_with('!')) {
      rest.remove_prefix(std::min(rest.find_first_of(" \t\r\n"), rest.size()));
      rest.remove_prefix(std::min(rest.find_first_not_of(" \t\r\n"), rest.size()));
    }
    return at + static_cast<uint32_t>(whole - rest.size());
  }

  bool is_bracketed(const Node& collection) const {
    const std::string_view text = sources_.text(collection.span);
    return text.starts_with('[') || text.starts_with('{');
  }

  static Style style_of(std::string_view raw) {
    switch (raw.empty() ? ' ' : raw[0]) {
      case '\'':
        return Style::single_quoted;
      case '"':
        return Style::double_quoted;
      case '|':
        return Style::literal;
      case '>':
        return Style::folded;
      default:
        return Style::plain;
    }
  }

  void open(Kind kind, const YAML::Mark& mark, YAML::anchor_t anchor) {
    Open collection;
    collection.node.kind = kind;
    const uint32_t begin = after_properties(offset(mark));
    collection.node.span = {begin, std::min(begin + 1, file_.end)};
    collection.anchor = anchor;
    collection.last_seen = collection.node.span;
    if (stack_.size() >= depth_limit) throw TooDeep{collection.node.span};
    stack_.push_back(std::move(collection));
  }

  void close() {
    Open done = std::move(stack_.back());
    stack_.pop_back();
    merge(done);
    take_bracket(done.node.span);
    add(std::move(done.node), done.anchor);
  }

  // A collection in brackets ends behind the closing one.
  void take_bracket(Span& span) const {
    const char open = sources_.text(span).empty() ? '\0' : sources_.text(span).front();
    if (open != '[' && open != '{') return;
    const std::string_view rest = sources_.rest(span.end);
    const size_t next = rest.find_first_not_of(" \t\r\n,");
    if (next != std::string_view::npos && rest[next] == (open == '[' ? ']' : '}')) {
      span.end += static_cast<uint32_t>(next + 1);
    }
  }

  // `<<: *a` gives the keys of a that the mapping does not have itself.
  static void merge(Open& done) {
    for (Node& source : done.merges) {
      for (Entry& entry : source.entries) {
        if (!done.keys.emplace(entry.key, entry.key_span).second) continue;
        done.node.entries.push_back(std::move(entry));
      }
    }
  }

  void add(Node node, YAML::anchor_t anchor) {
    if (++values_ > value_limit) throw TooMany{node.span, copied_};
    if (anchor != YAML::NullAnchor) {
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
                 fmt::format("a key must be a text, but this is {}", describe(node)))
          .help("put a text that begins with `{` or `[` in quotes");
    } else if (begins_item(parent, node)) {
      next_item(parent, node);
    }
    parent.has_key = true;
    parent.key_is_text = node.is_scalar();
    parent.key = node.text;
    parent.key_span = node.span;
  }

  // The first key of a list's item again: the dash of the next item is missing.
  bool begins_item(const Open& parent, const Node& key) const {
    return !parent.node.entries.empty() && parent.node.entries[0].key == key.text &&
           stack_.size() > 1 && stack_[stack_.size() - 2].node.is_sequence() &&
           !is_bracketed(parent.node);
  }

  void next_item(Open& parent, const Node& key) {
    diagnostics_
        .error(Code::duplicate_key, key.span, fmt::format("the key `{}` stands twice", key.text))
        .other(parent.node.entries[0].key_span, "first here")
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
    if (const auto [first, fresh] = parent.keys.emplace(parent.key, parent.key_span); !fresh) {
      diagnostics_
          .error(Code::duplicate_key, parent.key_span,
                 fmt::format("the key `{}` stands twice", parent.key))
          .other(first->second, "first here");
      return;
    }
    parent.node.entries.push_back({parent.key, parent.key_span, std::move(node)});
  }

  Span file_;
  const Sources& sources_;
  Diagnostics& diagnostics_;
  Node root_;
  std::vector<Open> stack_;
  std::map<YAML::anchor_t, Node> anchors_;
  size_t values_ = 0;
  bool copied_ = false;  // there are anchors or aliases
};

// A stream over bytes that stay where they are.
class View : public std::streambuf {
 public:
  explicit View(std::string_view text) {
    char* begin = const_cast<char*>(text.data());  // never written: there is no put area
    setg(begin, begin, begin + text.size());
  }
};

}  // namespace

std::optional<Node> read_yaml(Span file, const Sources& sources, Diagnostics& diagnostics) {
  if (!check_bytes(file, sources, diagnostics)) return std::nullopt;
  const std::string_view text = sources.text(file);
  View buffer(text);
  std::istream stream(&buffer);
  TreeBuilder builder(file, sources, diagnostics);
  try {
    YAML::Parser parser(stream);
    if (!parser.HandleNextDocument(builder)) {
      Node empty;
      empty.span = {file.begin, file.begin};
      return empty;
    }
    Node root = builder.take_root();
    TreeBuilder second(file, sources, diagnostics);
    if (parser.HandleNextDocument(second)) {
      Node extra = second.take_root();
      diagnostics
          .error(Code::second_document, {extra.span.begin, extra.span.begin + 1},
                 "a second YAML document begins here")
          .help(
              "a file holds one document; a line indented less than the one above may start "
              "another");
      // What stands behind a `---` belongs to the file, too, and is not missing.
      const bool divided = text.substr(0, extra.span.begin - file.begin).find("\n---") != text.npos;
      std::set<std::string> keys;
      for (const Entry& entry : root.entries) keys.insert(entry.key);
      for (Entry& entry : extra.entries) {
        if (divided && keys.insert(entry.key).second) root.entries.push_back(std::move(entry));
      }
    }
    return root;
  } catch (const YAML::Exception& error) {
    const auto pos = static_cast<uint32_t>(std::max(error.mark.pos, 0));
    const uint32_t at = std::min(file.begin + pos, file.end);
    YamlMistake mistake = explain_mistake(error.msg, at, file, builder.open_bracket(), sources);
    diagnostics.error(Code::yaml_syntax, mistake.span, std::move(mistake.message))
        .help(std::move(mistake.help));
  } catch (const NotClosed& text) {
    diagnostics.error(Code::yaml_syntax, text.quote, "a quoted text without its closing quote");
  } catch (const TooMany& many) {
    diagnostics.error(
        Code::too_many_aliases, many.span,
        fmt::format("{} more than {} values", many.copied ? "aliases unfold to" : "this file has",
                    value_limit));
  } catch (const TooDeep& deep) {
    diagnostics.error(Code::yaml_syntax, deep.span, "this is nested too deeply");
  } catch (const WithinItself& within) {
    diagnostics.error(Code::yaml_syntax, within.alias, "an alias within its own anchor");
  }
  return std::nullopt;
}

}  // namespace slipway::source
