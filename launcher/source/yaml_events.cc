// libyaml's parsing events. The only file that includes <yaml.h>.
#include "launcher/source/yaml_events.h"

#include <yaml.h>

#include <algorithm>
#include <new>
#include <string_view>
#include <vector>

namespace slipway::source {
namespace {

std::string text_of(const yaml_char_t* text) {
  return text == nullptr ? std::string() : reinterpret_cast<const char*>(text);
}

Style style_of(yaml_scalar_style_t style) {
  switch (style) {
    case YAML_SINGLE_QUOTED_SCALAR_STYLE:
      return Style::single_quoted;
    case YAML_DOUBLE_QUOTED_SCALAR_STYLE:
      return Style::double_quoted;
    case YAML_LITERAL_SCALAR_STYLE:
      return Style::literal;
    case YAML_FOLDED_SCALAR_STYLE:
      return Style::folded;
    default:
      return Style::plain;
  }
}

// The byte offset of each character, since libyaml counts characters. Empty for ASCII, where the
// two are equal.
std::vector<uint32_t> bytes_of_characters(std::string_view text) {
  const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  if (std::ranges::all_of(text, is_ascii)) return {};
  std::vector<uint32_t> bytes;
  bytes.reserve(text.size() + 1);
  for (size_t i = 0; i < text.size(); ++i) {
    const bool continues = (static_cast<unsigned char>(text[i]) & 0xC0) == 0x80;
    if (!continues) bytes.push_back(static_cast<uint32_t>(i));
  }
  bytes.push_back(static_cast<uint32_t>(text.size()));
  return bytes;
}

struct RawEvent : yaml_event_t {
  RawEvent() : yaml_event_t() {}
  RawEvent(const RawEvent&) = delete;
  RawEvent& operator=(const RawEvent&) = delete;
  ~RawEvent() { yaml_event_delete(this); }
};

}  // namespace

struct YamlEvents::Parser {
  Parser(Span whole, std::string_view text) : file(whole), bytes(bytes_of_characters(text)) {
    if (yaml_parser_initialize(&raw) == 0) throw std::bad_alloc();
    yaml_parser_set_encoding(&raw, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&raw, reinterpret_cast<const unsigned char*>(text.data()),
                                 text.size());
  }
  Parser(const Parser&) = delete;
  Parser& operator=(const Parser&) = delete;
  ~Parser() { yaml_parser_delete(&raw); }

  uint32_t offset(const yaml_mark_t& mark) const {
    const size_t byte = bytes.empty() ? mark.index : bytes[std::min(mark.index, bytes.size() - 1)];
    return static_cast<uint32_t>(std::min<size_t>(file.begin + byte, file.end));
  }

  YamlProblem problem() const {
    if (raw.error == YAML_MEMORY_ERROR) throw std::bad_alloc();
    const bool unreadable = raw.error == YAML_READER_ERROR;  // has a byte offset, not a mark
    return {raw.problem == nullptr ? "" : raw.problem,
            unreadable ? file.begin + static_cast<uint32_t>(raw.problem_offset)
                       : offset(raw.problem_mark),
            raw.context == nullptr ? "" : raw.context, offset(raw.context_mark)};
  }

  Span file;
  std::vector<uint32_t> bytes;
  yaml_parser_t raw;
};

YamlEvents::YamlEvents(Span file, const Sources& sources)
    : parser_(std::make_unique<Parser>(file, sources.text(file))) {}
YamlEvents::~YamlEvents() = default;

YamlEvent YamlEvents::next() {
  for (;;) {
    RawEvent raw;
    if (yaml_parser_parse(&parser_->raw, &raw) == 0) throw parser_->problem();
    YamlEvent event;
    event.span = {parser_->offset(raw.start_mark), parser_->offset(raw.end_mark)};
    switch (raw.type) {
      case YAML_SCALAR_EVENT: {
        const auto& scalar = raw.data.scalar;
        event.kind = YamlEventKind::scalar;
        event.style = style_of(scalar.style);
        event.text.assign(reinterpret_cast<const char*>(scalar.value), scalar.length);
        event.tag = text_of(scalar.tag);
        if (event.tag == "!") event.tag.clear();
        event.anchor = text_of(scalar.anchor);
        return event;
      }
      case YAML_ALIAS_EVENT:
        event.kind = YamlEventKind::alias;
        event.anchor = text_of(raw.data.alias.anchor);
        return event;
      case YAML_SEQUENCE_START_EVENT:
        event.kind = YamlEventKind::sequence_start;
        event.bracketed = raw.data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE;
        event.anchor = text_of(raw.data.sequence_start.anchor);
        return event;
      case YAML_MAPPING_START_EVENT:
        event.kind = YamlEventKind::mapping_start;
        event.bracketed = raw.data.mapping_start.style == YAML_FLOW_MAPPING_STYLE;
        event.anchor = text_of(raw.data.mapping_start.anchor);
        return event;
      case YAML_SEQUENCE_END_EVENT:
        event.kind = YamlEventKind::sequence_end;
        return event;
      case YAML_MAPPING_END_EVENT:
        event.kind = YamlEventKind::mapping_end;
        return event;
      case YAML_DOCUMENT_START_EVENT:
        event.kind = YamlEventKind::document_start;
        return event;
      case YAML_STREAM_END_EVENT:
        event.kind = YamlEventKind::stream_end;
        return event;
      default:  // start of the stream, end of a document
        break;
    }
  }
}

}  // namespace slipway::source
