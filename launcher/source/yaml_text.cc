// Maps each byte of a scalar's text back to the source.
//
// libyaml reports where a scalar begins and its value, but not where each character was written.
// The source and the value have the same characters in the same order except for white space and
// escapes, so walking through both side by side is enough for every style.
#include "launcher/source/yaml_text.h"

#include <algorithm>
#include <numeric>

#include "launcher/source/yaml.h"

namespace slipway::source {
namespace {

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// The length in bytes of the escape at the beginning of `raw`, in a double-quoted scalar.
size_t escape_length(std::string_view raw) {
  const char kind = raw.size() > 1 ? raw[1] : '\0';
  const size_t length = kind == 'x' ? 4 : kind == 'u' ? 6 : kind == 'U' ? 10 : 2;
  return std::min(length, raw.size());
}

class Walk {
 public:
  Walk(std::string_view raw, Style style, std::string_view text)
      : raw_(raw), style_(style), text_(text) {}

  std::vector<uint32_t> run() {
    skip_header();
    std::vector<uint32_t> offsets;
    offsets.reserve(text_.size() + 1);
    for (size_t i = 0; i < text_.size();) {
      const size_t length = std::min(utf8_length(text_[i]), text_.size() - i);
      const size_t at = take(text_[i], length);
      for (size_t k = 0; k < length; ++k) offsets.push_back(static_cast<uint32_t>(at));
      i += length;
    }
    offsets.push_back(static_cast<uint32_t>(std::min(at_, raw_.size())));
    return offsets;
  }

 private:
  void skip_header() {
    if (style_ == Style::literal || style_ == Style::folded) {
      at_ = std::min(raw_.find('\n'), raw_.size() - 1) + 1;
    } else if (style_ != Style::plain) {
      at_ = 1;
    }
  }

  // Finds the next character of the text in the source and returns its offset.
  size_t take(char wanted, size_t length) {
    if (is_space(wanted)) {
      const size_t here = at_;
      if (escaped()) return take_escape();
      if (at_ < raw_.size() && raw_[at_] == wanted) ++at_;  // otherwise it is a folded line end
      return here;
    }
    for (;;) {
      while (at_ < raw_.size() && is_space(raw_[at_])) ++at_;
      if (!escaped()) break;
      const bool joins_lines = at_ + 1 < raw_.size() && is_space(raw_[at_ + 1]) &&
                               raw_[at_ + 1] != ' ' && raw_[at_ + 1] != '\t';
      if (!joins_lines) return take_escape();
      at_ += 2;
    }
    const size_t here = at_;
    at_ += style_ == Style::single_quoted && wanted == '\'' ? 2 : length;
    return here;
  }

  bool escaped() const {
    return style_ == Style::double_quoted && at_ < raw_.size() && raw_[at_] == '\\';
  }

  size_t take_escape() {
    const size_t here = at_;
    at_ += escape_length(raw_.substr(at_));
    return here;
  }

  std::string_view raw_;
  Style style_;
  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

std::vector<uint32_t> scalar_offsets(std::string_view raw, Style style, std::string_view text) {
  const bool as_written = style == Style::plain && raw.starts_with(text) &&
                          std::ranges::all_of(text, [](char c) { return utf8_length(c) == 1; });
  if (!as_written) return Walk(raw, style, text).run();
  std::vector<uint32_t> offsets(text.size() + 1);
  std::iota(offsets.begin(), offsets.end(), 0U);
  return offsets;
}

uint32_t block_end(std::string_view raw, std::string_view text) {
  constexpr std::string_view space = " \t\r\n";
  const size_t header = std::min(raw.find('\n'), raw.size() - 1) + 1;
  // Both have the same last character that is not white space; the text keeps some of the white
  // space after it.
  const size_t last = raw.find_last_not_of(space);
  size_t at = last == std::string_view::npos || last < header ? header : last + 1;
  for (const char c : text.substr(text.find_last_not_of(space) + 1)) {
    if (at < raw.size() && raw[at] == c) ++at;
  }
  return static_cast<uint32_t>(at);
}

std::vector<uint32_t> text_offsets(const Node& scalar, const Sources& sources) {
  const std::string_view rest = sources.rest(scalar.span.begin);
  std::vector<uint32_t> offsets = scalar_offsets(rest, scalar.style, scalar.text);
  for (uint32_t& offset : offsets) {
    offset = scalar.span.begin + std::min(offset, static_cast<uint32_t>(rest.size()));
  }
  return offsets;
}

}  // namespace slipway::source
