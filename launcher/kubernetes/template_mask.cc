// Replaces the parts of a template by an unknown of the same length.
#include "launcher/kubernetes/template_mask.h"

#include <algorithm>

namespace slipway::kubernetes {
namespace {

constexpr size_t npos = std::string_view::npos;
// Longer than any expression in a template: what has no end must not make reading slow.
constexpr size_t longest_expression = 4096;

// The offset after the bracket that closes the one at `open`, or npos.
size_t end_of_brackets(std::string_view text, size_t open) {
  const char opening = text[open];
  const char closing = opening == '{' ? '}' : ')';
  size_t depth = 0;
  const size_t end = std::min(text.size(), open + longest_expression);
  for (size_t at = open; at < end; ++at) {
    if (text[at] == opening) ++depth;
    if (text[at] == closing && --depth == 0) return at + 1;
  }
  return npos;
}

class TemplateMask {
 public:
  TemplateMask(std::string_view text, bool expressions) : expressions_(expressions) {
    masked_.text = text;
  }

  Masked run() {
    for (size_t at = 0; at < masked_.text.size();) at = step(at);
    return std::move(masked_);
  }

 private:
  bool is_at(size_t at, std::string_view what) const {
    return std::string_view(masked_.text).substr(at, what.size()) == what;
  }

  // Masks what begins here and returns where to go on.
  size_t step(size_t at) {
    if (is_at(at, "$${") || is_at(at, "%%{")) return at + 3;
    if (is_at(at, "\\$(")) return at + 3;
    if (is_at(at, "${")) return value(at, end_of_brackets(masked_.text, at + 1));
    if (is_at(at, "%{")) return directive(at, end_of_brackets(masked_.text, at + 1));
    if (is_at(at, "{{")) {
      const auto rest = std::string_view(masked_.text).substr(at, longest_expression);
      const size_t length = rest.substr(0, rest.find('\n')).find("}}");
      return length == npos ? at + 2 : value(at, at + length + 2);
    }
    if (expressions_ && is_at(at, "$(")) return value(at, end_of_brackets(masked_.text, at + 1));
    return at + 1;
  }

  size_t value(size_t at, size_t end) {
    if (end == npos) return at + 1;
    masked_.any = true;
    if (is_line(at, end)) {
      masked_.open = true;
      blank(at, end);
    } else {
      std::fill(masked_.text.begin() + static_cast<ptrdiff_t>(at),
                masked_.text.begin() + static_cast<ptrdiff_t>(end), 'x');
      masked_.text.replace(at, unknown_mark.size(), unknown_mark);
    }
    return end;
  }

  size_t directive(size_t at, size_t end) {
    if (end == npos) return at + 1;
    masked_.any = masked_.open = true;
    blank(at, end);
    return end;
  }

  void blank(size_t at, size_t end) {
    std::fill(masked_.text.begin() + static_cast<ptrdiff_t>(at),
              masked_.text.begin() + static_cast<ptrdiff_t>(end), ' ');
  }

  // Whether nothing else is on the lines from `at` to `end`.
  bool is_line(size_t at, size_t end) const {
    const std::string& text = masked_.text;
    const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
    while (at > 0 && is_blank(text[at - 1])) --at;
    while (end < text.size() && is_blank(text[end])) ++end;
    return (at == 0 || text[at - 1] == '\n') && (end == text.size() || text[end] == '\n');
  }

  const bool expressions_;
  Masked masked_;
};

}  // namespace

Masked mask_templates(std::string_view text, bool expressions) {
  return TemplateMask(text, expressions).run();
}

}  // namespace slipway::kubernetes
