// Functions for strings.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <vector>

#include "common/text.h"
#include "launcher/expression/arguments.h"
#include "launcher/expression/budget.h"
#include "launcher/expression/unicode.h"

namespace slipway::expression {
namespace {

std::string joined(const std::vector<std::string_view>& pieces) {
  std::string out;
  for (const std::string_view piece : pieces) out += piece;
  return out;
}

Result chomp(const List& arguments) {
  std::string text = text_at(arguments, 0);
  text.resize(text.find_last_not_of("\r\n") + 1);
  return Value(std::move(text));
}

Result endswith(const List& arguments) {
  return text_at(arguments, 0).ends_with(text_at(arguments, 1));
}

Result startswith(const List& arguments) {
  return text_at(arguments, 0).starts_with(text_at(arguments, 1));
}

Result strcontains(const List& arguments) {
  return text_at(arguments, 0).find(text_at(arguments, 1)) != std::string::npos;
}

// Indents every line except the first.
Result indent(const List& arguments) {
  const auto spaces = static_cast<size_t>(integer_at(arguments, 0, 0, 1'000'000));
  const std::string& text = text_at(arguments, 1);
  const auto lines = static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
  spend_text(text.size() + lines * spaces);
  std::string out;
  for (const char c : text) {
    out += c;
    if (c == '\n') out.append(spaces, ' ');
  }
  return Value(std::move(out));
}

Result join(const List& arguments) {
  const std::string& separator = text_at(arguments, 0);
  size_t size = 0;
  for (size_t i = 1; i < arguments.size(); ++i) {
    const List& list = list_at(arguments, i);
    for (size_t k = 0; k < list.size(); ++k) {
      const auto* text = list[k].as<std::string>();
      if (text == nullptr) throw ArgumentError(i, fmt::format("at [{}]: null cannot be joined", k));
      size += separator.size() + text->size();
    }
  }
  spend_text(size);
  std::string out;
  bool first = true;
  for (size_t i = 1; i < arguments.size(); ++i) {
    for (const Value& item : list_at(arguments, i)) {
      out += (first ? "" : separator) + *item.as<std::string>();
      first = false;
    }
  }
  return Value(std::move(out));
}

template <std::string change(std::string_view)>
Result changed(const List& arguments) {
  return Value(change(text_at(arguments, 0)));
}

Result split(const List& arguments) {
  const std::string& separator = text_at(arguments, 0);
  const std::string& text = text_at(arguments, 1);
  List out;
  if (separator.empty()) {
    for (const std::string_view point : code_points(text)) out.emplace_back(std::string(point));
    return list_value(std::move(out));
  }
  size_t at = 0;
  for (size_t hit = text.find(separator); hit != std::string::npos;
       hit = text.find(separator, at)) {
    out.emplace_back(text.substr(at, hit - at));
    at = hit + separator.size();
  }
  out.emplace_back(text.substr(at));
  return list_value(std::move(out));
}

Result strrev(const List& arguments) {
  std::vector<std::string_view> all = characters(text_at(arguments, 0));
  std::reverse(all.begin(), all.end());
  return Value(joined(all));
}

// substr(text, offset, length): a negative offset counts from the end, and a length of -1 takes the
// rest.
Result substr(const List& arguments) {
  const std::vector<std::string_view> all = characters(text_at(arguments, 0));
  const auto size = static_cast<int64_t>(all.size());
  int64_t begin = integer_at(arguments, 1);
  const int64_t length = integer_at(arguments, 2);
  if (begin < 0) begin = std::max<int64_t>(0, begin + size);
  begin = std::min(begin, size);
  const int64_t count = length < 0 ? size - begin : std::min(length, size - begin);
  return Value(joined({all.begin() + begin, all.begin() + begin + count}));
}

// Removes the code points for which `goes` is true from both ends.
template <class Goes>
std::string trimmed(std::string_view text, Goes goes) {
  std::vector<std::string_view> points = code_points(text);
  const auto stays = [&](std::string_view point) { return !goes(point); };
  points.erase(std::find_if(points.rbegin(), points.rend(), stays).base(), points.end());
  points.erase(points.begin(), std::find_if(points.begin(), points.end(), stays));
  return joined(points);
}

Result trim(const List& arguments) {
  const std::string& cut = text_at(arguments, 1);
  const std::vector<std::string_view> set = code_points(cut);
  return Value(trimmed(text_at(arguments, 0), [&](std::string_view point) {
    return std::find(set.begin(), set.end(), point) != set.end();
  }));
}

Result trimspace(const List& arguments) {
  return Value(trimmed(text_at(arguments, 0),
                       [](std::string_view point) { return is_white_space(decode(point)); }));
}

Result trimprefix(const List& arguments) {
  const std::string& text = text_at(arguments, 0);
  const std::string& prefix = text_at(arguments, 1);
  return Value(text.starts_with(prefix) ? text.substr(prefix.size()) : text);
}

Result trimsuffix(const List& arguments) {
  const std::string& text = text_at(arguments, 0);
  const std::string& suffix = text_at(arguments, 1);
  return Value(text.ends_with(suffix) ? text.substr(0, text.size() - suffix.size()) : text);
}

// Splits the path as text, without reading the disk. Ignores trailing slashes.
Result basename(const List& arguments) {
  std::string_view path = text_at(arguments, 0);
  if (path.empty()) return Value(".");
  const size_t end = path.find_last_not_of('/');
  if (end == std::string_view::npos) return Value("/");
  path = path.substr(0, end + 1);
  return Value(std::string(path.substr(path.rfind('/') + 1)));
}

// A path without `.`, `x/..` and doubled slashes.
std::string clean(std::string_view path) {
  const bool absolute = path.starts_with('/');
  std::vector<std::string_view> parts;
  while (!path.empty()) {
    const size_t end = std::min(path.find('/'), path.size());
    const std::string_view part = path.substr(0, end);
    path.remove_prefix(std::min(path.size(), end + 1));
    if (part.empty() || part == ".") continue;
    if (part == ".." && !parts.empty() && parts.back() != "..") {
      parts.pop_back();
    } else if (part != ".." || !absolute) {
      parts.push_back(part);
    }
  }
  const std::string out = (absolute ? "/" : "") +
                          slipway::join(std::vector<std::string>(parts.begin(), parts.end()), "/");
  return out.empty() ? "." : out;
}

Result dirname(const List& arguments) {
  const std::string_view path = text_at(arguments, 0);
  return Value(clean(path.substr(0, path.rfind('/') + 1)));
}

constexpr std::array string_table = std::to_array<Function>({
    {"basename", "string", basename},
    {"chomp", "string", chomp},
    {"dirname", "string", dirname},
    {"endswith", "string, string", endswith},
    {"indent", "number, string", indent},
    {"join", "string, list(string), list(string)...", join},
    {"lower", "string", changed<lower_case>},
    {"split", "string, string", split},
    {"startswith", "string, string", startswith},
    {"strcontains", "string, string", strcontains},
    {"strrev", "string", strrev},
    {"substr", "string, number, number", substr},
    {"title", "string", changed<title_case>},
    {"trim", "string, string", trim},
    {"trimprefix", "string, string", trimprefix},
    {"trimspace", "string", trimspace},
    {"trimsuffix", "string, string", trimsuffix},
    {"upper", "string", changed<upper_case>},
});

}  // namespace

std::span<const Function> string_functions() {
  return string_table;
}

}  // namespace slipway::expression
