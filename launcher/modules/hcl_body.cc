// Reads the structure of an HCL file.
#include "launcher/modules/hcl_body.h"

#include <fmt/core.h>

#include <algorithm>

#include "launcher/expression/escape.h"
#include "launcher/expression/tokens.h"
#include "launcher/modules/hcl_value.h"

namespace slipway::modules {
namespace {

using source::Code;
using source::Span;

// Deeper than any provider's blocks, and far from exhausting the stack.
constexpr int block_depth_limit = 100;

class BodyReader {
 public:
  BodyReader(std::string_view text, uint32_t base) : text_(text), base_(base) {}

  void body(HclBody& out, size_t opened = HclError::nowhere) {
    const bool nested = opened != HclError::nowhere;
    for (;;) {
      at_ = skip_blank(text_, at_, true);
      if (at_ >= text_.size()) {
        if (nested) throw HclError(opened, opened + 1, "this block has no closing `}`");
        return;
      }
      if (nested && text_[at_] == '}') {
        ++at_;
        return;
      }
      item(out);
      line_end(nested);
    }
  }

  Span span(size_t begin, size_t end) const {
    const size_t size = text_.size();
    return {base_ + static_cast<uint32_t>(std::min(begin, size)),
            base_ + static_cast<uint32_t>(std::min(std::max(begin, end), size))};
  }

 private:
  [[noreturn]] void unexpected(std::string_view expected) const {
    if (at_ >= text_.size() || text_[at_] == '\n') {
      throw HclError(at_, at_, fmt::format("unexpected end of line, expected {}", expected));
    }
    const size_t length = std::max<size_t>(1, expression::next_token(text_, at_).text.size());
    throw HclError(
        at_, at_ + length,
        fmt::format("unexpected `{}`, expected {}", text_.substr(at_, length), expected));
  }

  std::string_view identifier(std::string_view expected) {
    const expression::Token token = expression::next_token(text_, at_);
    if (token.kind != expression::Token::Kind::identifier || token.begin != at_) {
      unexpected(expected);
    }
    at_ += token.text.size();
    return token.text;
  }

  void item(HclBody& out) {
    const size_t begin = at_;
    const std::string name(identifier("a name"));
    const Span place = span(begin, at_);
    at_ = skip_blank(text_, at_, false);
    if (text_.substr(at_).starts_with('=')) {
      ++at_;
      attribute(out, name, place);
      return;
    }
    HclBlock block{name, place, {}, {}};
    while (!text_.substr(at_).starts_with('{')) {
      block.labels.push_back(label());
      at_ = skip_blank(text_, at_, false);
    }
    if (++depth_ > block_depth_limit) throw HclError(at_, at_ + 1, "blocks are nested too deeply");
    const size_t opened = at_++;
    body(block.body, opened);
    --depth_;
    out.blocks.push_back(std::move(block));
  }

  void attribute(HclBody& out, const std::string& name, Span place) {
    const size_t begin = skip_blank(text_, at_, false);
    const ValueRange value = find_value_end(text_, begin);
    if (value.end == begin) {
      throw HclError(place.begin - base_, place.end - base_,
                     fmt::format("`{}` has no value", name));
    }
    out.attributes.push_back({name, place, span(begin, value.end)});
    at_ = value.next;
  }

  HclLabel label() {
    const size_t begin = at_;
    if (!text_.substr(at_).starts_with('"')) {
      const std::string name(identifier("`=`, a label or `{`"));
      return {name, span(begin, at_)};
    }
    std::string text;
    for (++at_; !text_.substr(at_).starts_with('"');) {
      const std::string_view rest = text_.substr(at_);
      if (rest.empty() || rest[0] == '\n') {
        throw HclError(begin, begin + 1, "this string has no closing quote");
      }
      if (rest.starts_with("${") || rest.starts_with("%{")) {
        throw HclError(at_, at_ + 2, "a label cannot contain an expression");
      }
      size_t taken = rest[0] == '\\' ? expression::read_escape(rest, text) : 0;
      if (taken == 0) {
        text += rest[0];
        taken = 1;
      }
      at_ += taken;
    }
    ++at_;
    return {text, span(begin, at_)};
  }

  void line_end(bool nested) {
    at_ = skip_blank(text_, at_, false);
    if (at_ >= text_.size() || text_[at_] == '\n' || (nested && text_[at_] == '}')) return;
    unexpected("a new line");
  }

  std::string_view text_;
  uint32_t base_;
  size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

const HclAttribute* HclBody::find(std::string_view name) const {
  const auto found = std::find_if(attributes.begin(), attributes.end(),
                                  [name](const HclAttribute& a) { return a.name == name; });
  return found == attributes.end() ? nullptr : &*found;
}

bool read_hcl(Span file, const source::Sources& sources, source::Diagnostics& diagnostics,
              HclBody& body) {
  const std::string_view text = sources.text(file);
  if (const size_t at = source::find_not_text(text); at != std::string_view::npos) {
    const uint32_t place = file.begin + static_cast<uint32_t>(at);
    diagnostics.error(Code::not_text, {place, place + 1},
                      fmt::format("the byte 0x{:02X} is not allowed in an HCL file",
                                  static_cast<unsigned char>(text[at])));
    return false;
  }
  BodyReader reader(text, file.begin);
  try {
    reader.body(body);
    return true;
  } catch (const HclError& error) {
    source::Diagnostic& said =
        diagnostics.error(Code::hcl_syntax, reader.span(error.begin, error.end), error.what());
    if (error.opened != HclError::nowhere) {
      said.other(reader.span(error.opened, error.opened + 1), "opened here");
    }
    return false;
  }
}

}  // namespace slipway::modules
