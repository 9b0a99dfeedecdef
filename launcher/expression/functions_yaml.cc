// yamlencode() and yamldecode().
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <mutex>

#include "common/base64.h"
#include "launcher/expression/arguments.h"
#include "launcher/expression/budget.h"
#include "launcher/expression/unicode.h"
#include "launcher/source/yaml.h"

namespace slipway::expression {
namespace {

using source::Node;

constexpr std::string_view core_tag = "tag:yaml.org,2002:";

// Writes YAML in Terraform's style: block collections, and strings in double quotes, or as blocks
// if they have line ends.
class Writer {
 public:
  std::string write(const Value& value) {
    node(value, 0, false);
    const bool plain = value.as<std::string>() == nullptr && value.as<List>() == nullptr &&
                       value.as<Object>() == nullptr;
    return out_ + (plain ? "...\n" : "");
  }

  // False for a key that Terraform would write in a special form.
  static bool can_write(const Value& value) {
    if (const auto* list = value.as<List>()) {
      return std::all_of(list->begin(), list->end(), can_write);
    }
    const auto* object = value.as<Object>();
    return object == nullptr || std::all_of(object->begin(), object->end(), [](const auto& member) {
             return member.first.find('\n') == std::string::npos && member.first.size() <= 100 &&
                    can_write(member.second);
           });
  }

 private:
  // Writes a value after `- `, where it may begin on the same line, or after `key:`.
  void node(const Value& value, size_t indent, bool behind_key) {
    if (const auto* list = value.as<List>(); list != nullptr && !list->empty()) {
      sequence(*list, indent, behind_key);
    } else if (const auto* object = value.as<Object>(); object != nullptr && !object->empty()) {
      mapping(*object, behind_key ? indent + 2 : indent, behind_key);
    } else {
      if (behind_key) out_ += ' ';
      scalar(value, indent + 2);
      out_ += ends_line_ ? "" : "\n";
      ends_line_ = false;
    }
  }

  // A list in a mapping is not indented.
  void sequence(const List& list, size_t indent, bool behind_key) {
    bool begins_line = behind_key;
    if (behind_key) out_ += '\n';
    for (const Value& item : list) {
      if (begins_line) out_ += std::string(indent, ' ');
      begins_line = true;
      out_ += "- ";
      const bool nested = item.as<List>() != nullptr || item.as<Object>() != nullptr;
      node(item, nested ? indent + 2 : indent, false);
    }
  }

  void mapping(const Object& object, size_t indent, bool behind_key) {
    bool begins_line = behind_key;
    if (behind_key) out_ += '\n';
    for (const auto& [key, member] : object) {
      if (begins_line) out_ += std::string(indent, ' ');
      begins_line = true;
      quoted(key, indent, false);
      out_ += ':';
      node(member, indent, true);
    }
  }

  void scalar(const Value& value, size_t indent) {
    if (const auto* boolean = value.as<bool>()) {
      out_ += *boolean ? "true" : "false";
    } else if (const auto* number = value.as<Number>()) {
      out_ += number_text(*number);
    } else if (const auto* text = value.as<std::string>()) {
      if (text->find('\n') != std::string::npos && can_be_block(*text)) {
        block(*text, indent);
      } else {
        quoted(*text, indent, true);
      }
    } else {
      out_ += value.as<List>() != nullptr ? "[]" : value.as<Object>() != nullptr ? "{}" : "null";
    }
  }

  static bool is_printable(char32_t point) {
    return point == '\n' || (point >= 0x20 && point <= 0x7E) ||
           (point >= 0xA0 && point <= 0xFFFD && point != 0xFEFF);
  }

  static bool can_be_block(const std::string& text) {
    const std::vector<std::string_view> points = code_points(text);
    const auto printable = [](std::string_view point) { return is_printable(decode(point)); };
    return std::all_of(points.begin(), points.end(), printable) && !text.ends_with(' ') &&
           text.find(" \n") == std::string::npos;
  }

  void block(const std::string& text, size_t indent) {
    out_ += '|';
    if (text[0] == ' ' || text[0] == '\n') out_ += '2';
    if (!text.ends_with('\n')) {
      out_ += '-';
    } else if (text.size() == 1 || text[text.size() - 2] == '\n') {
      out_ += '+';
    }
    bool begins_line = true;
    out_ += '\n';
    for (const char c : text) {
      if (c != '\n' && begins_line) out_ += std::string(indent, ' ');
      out_ += c;
      begins_line = c == '\n';
    }
    ends_line_ = begins_line;
  }

  // Long lines are folded at spaces, except in keys.
  void quoted(const std::string& text, size_t indent, bool fold) {
    constexpr size_t width = 80;
    out_ += '"';
    bool after_space = false;
    const std::vector<std::string_view> points = code_points(text);
    for (size_t i = 0; i < points.size(); ++i) {
      const bool space = points[i] == " ";
      if (space && fold && !after_space && column() > width && i > 0 && i + 1 < points.size()) {
        out_ += '\n' + std::string(indent, ' ');
        if (points[i + 1] == " ") out_ += '\\';
      } else if (space) {
        out_ += ' ';
      } else {
        character(points[i]);
      }
      after_space = space;
    }
    out_ += '"';
  }

  size_t column() const { return code_points(out_.substr(out_.rfind('\n') + 1)).size(); }

  void character(std::string_view bytes) {
    constexpr std::string_view kinds = "\"\\\n\t\r\a\b\v\f\x1b";
    constexpr std::string_view letters = "\"\\ntrabvfe";
    const char32_t point = decode(bytes);
    const size_t at = bytes.size() == 1 ? kinds.find(bytes[0]) : std::string_view::npos;
    if (at != std::string_view::npos) {
      out_ += '\\';
      out_ += letters[at];
    } else if (point == 0) {
      out_ += "\\0";
    } else if (point == 0x85) {
      out_ += "\\N";
    } else if (point == 0x2028 || point == 0x2029) {
      out_ += point == 0x2028 ? "\\L" : "\\P";
    } else if (is_printable(point)) {
      out_ += bytes;
    } else {
      const auto number = static_cast<uint32_t>(point);
      out_ += number <= 0xFF     ? fmt::format("\\x{:02X}", number)
              : number <= 0xFFFF ? fmt::format("\\u{:04X}", number)
                                 : fmt::format("\\U{:08X}", number);
    }
  }

  std::string out_;
  bool ends_line_ = false;  // the last text written ended its line
};

Result yamlencode(const List& arguments) {
  if (!Writer::can_write(arguments[0])) return std::nullopt;
  std::string text = Writer().write(arguments[0]);
  spend_text(text.size());
  return Value(std::move(text));
}

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, text) != words.end();
}

// A plain scalar as a number, in the notations of YAML 1.2 and some of 1.1.
std::optional<Number> yaml_number(const std::string& text) {
  if (text.starts_with("0x") || text.starts_with("0o")) {
    const int base = text[1] == 'x' ? 16 : 8;
    char* end = nullptr;
    const auto number = std::strtoull(text.c_str() + 2, &end, base);
    const bool whole = text.size() > 2 && text.size() < 18 && *end == '\0' && text[2] != '-';
    return whole ? std::optional(static_cast<Number>(number)) : std::nullopt;
  }
  return parse_number(text);
}

// Converts a date to a timestamp, as Terraform does.
std::string with_time(const std::string& text) {
  std::string shape = text;
  for (char& c : shape) c = c >= '0' && c <= '9' ? '0' : c;
  if (shape == "0000-00-00") return text + "T00:00:00Z";
  if (shape == "0000-00-00 00:00:00") return text.substr(0, 10) + "T" + text.substr(11) + "Z";
  return text;
}

Value scalar(const Node& node) {
  const std::string& text = node.text;
  const bool plain = node.style == source::Style::plain;
  std::string_view tag = node.tag;
  if (tag.starts_with(core_tag)) tag.remove_prefix(core_tag.size());
  if (!tag.empty() &&
      !is_one_of(tag, {"str", "int", "float", "bool", "null", "binary", "timestamp", "!"})) {
    throw ArgumentError(0, fmt::format("has the tag `{}`, which is not supported", node.tag));
  }
  if (tag == "str" || tag == "!" || !plain) return Value(text);
  if (tag == "binary") {
    if (!from_base64(text)) throw ArgumentError(0, "has a !!binary that is not Base64");
    return Value(text);
  }
  if (is_one_of(text, {"~", "null", "Null", "NULL"}) || text.empty()) return Value();
  if (is_one_of(text, {"true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON", "y", "Y"})) {
    return true;
  }
  if (is_one_of(text,
                {"false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF", "n", "N"})) {
    return false;
  }
  if (is_one_of(text, {".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF", "-.inf", "-.Inf", "-.INF",
                       ".nan", ".NaN", ".NAN"})) {
    throw ArgumentError(0, fmt::format("has `{}`, which is not supported as a number", text));
  }
  if (const auto number = yaml_number(text)) return *number;
  return Value(with_time(text));
}

Value value_of(const Node& node) {
  if (node.is_sequence()) {
    List list;
    for (const Node& item : node.items) list.push_back(value_of(item));
    return list;
  }
  if (!node.is_mapping()) return scalar(node);
  Object object;
  for (const source::Entry& entry : node.entries) {
    object.insert_or_assign(entry.key, value_of(entry.value));
  }
  return object;
}

// False for a text that has only white space and comments.
bool has_content(std::string_view text) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    const size_t first = line.find_first_not_of(" \t\r");
    if (first != std::string_view::npos && line[first] != '#') return true;
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
  return false;
}

Value decoded(const std::string& text) {
  source::Sources sources;
  source::Diagnostics diagnostics(sources);
  const std::optional<Node> root =
      source::read_yaml(sources.add("argument 1", text), sources, diagnostics);
  if (diagnostics.errors() > 0) {
    const source::Diagnostic first = diagnostics.sorted()[0];
    const size_t line = first.span ? sources.place(first.span.begin).line : 1;
    throw ArgumentError(0, fmt::format("at line {}: {}", line, first.message));
  }
  if (!root || !has_content(text)) throw ArgumentError(0, "has no YAML document");
  return value_of(*root);
}

// Texts whose values are known. Each module of a blueprint that reads a table of the catalogue
// decodes the same one.
class KnownTexts {
 public:
  std::optional<Value> find(const std::string& text) {
    const std::lock_guard lock(mutex_);
    const auto found = values_.find(text);
    return found == values_.end() ? std::nullopt : std::optional(found->second);
  }
  void add(const std::string& text, const Value& value) {
    constexpr size_t most = 64;
    const std::lock_guard lock(mutex_);
    if (values_.size() >= most) values_.clear();
    values_.emplace(text, value);
  }

 private:
  std::mutex mutex_;
  std::map<std::string, Value> values_;
};

KnownTexts& known_texts() {
  static KnownTexts known;
  return known;
}

Result yamldecode(const List& arguments) {
  const std::string& text = text_at(arguments, 0);
  spend(text.size() / 4);
  if (auto known = known_texts().find(text)) return *std::move(known);
  Value value = decoded(text);
  known_texts().add(text, value);
  return value;
}

constexpr std::array yaml_table = std::to_array<Function>({
    {"yamldecode", "string", yamldecode},
    {"yamlencode", "any|null", yamlencode},
});

}  // namespace

bool knows_yaml(const std::string& text) {
  return known_texts().find(text).has_value();
}

void know_yaml(const std::string& text, const Node& tree) {
  known_texts().add(text, value_of(tree));
}

std::span<const Function> yaml_functions() {
  return yaml_table;
}

}  // namespace slipway::expression
