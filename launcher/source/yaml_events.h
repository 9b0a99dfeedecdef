// libyaml's parsing events, with their byte offsets. Used by the YAML reader.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "launcher/source/yaml.h"

namespace slipway::source {

enum class YamlEventKind {
  document_start,
  scalar,
  alias,
  sequence_start,
  sequence_end,
  mapping_start,
  mapping_end,
  stream_end,
};

struct YamlEvent {
  YamlEventKind kind = YamlEventKind::stream_end;
  Span span;  // includes the tag and the anchor
  Style style = Style::plain;
  bool bracketed = false;  // a collection in `[…]` or `{…}`
  std::string text;        // of a scalar
  std::string tag;         // "tag:yaml.org,2002:str" for !!str; empty without one, and for `!`
  std::string anchor;      // of a node or of an alias; empty without one
};

// Where and why libyaml stopped, in its own words.
struct YamlProblem {
  std::string problem;
  uint32_t at = 0;
  std::string context;      // "while parsing a flow sequence"; may be empty
  uint32_t context_at = 0;  // where that began
};

class YamlEvents {
 public:
  YamlEvents(Span file, const Sources& sources);
  ~YamlEvents();

  // The next event; the last one is stream_end. Throws YamlProblem.
  YamlEvent next();

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
};

}  // namespace slipway::source
