// The events of a YAML text, with the bytes that each stands on. Used by the reader.
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
  Span span;  // with tag and anchor, if there are any
  Style style = Style::plain;
  bool bracketed = false;  // a collection in `[` or `{`
  std::string text;        // of a scalar
  std::string tag;         // "tag:yaml.org,2002:str" for !!str; empty without one, and for `!`
  std::string anchor;      // of a node or of an alias; empty without one
};

// Where and why reading could not go on, in the words of the library.
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

  // The next event; stream_end is the last one. Throws YamlProblem.
  YamlEvent next();

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
};

}  // namespace slipway::source
