// A text as the YAML reader sees it, with the names in it and the files that it includes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "launcher/editor/document.h"
#include "launcher/editor/names.h"
#include "launcher/source/yaml.h"

namespace slipway::editor {

struct Reading {
  Reading(std::string text_uri, const Document& text);

  size_t offset(uint32_t place) const { return place - file.begin + mark; }
  Range range(source::Span span) const {
    return document.range(offset(span.begin), offset(span.end));
  }
  // The name at an offset of the text, also right after its last character.
  const Occurrence* name_at(size_t at) const;

  std::string uri;
  Document document;
  source::Sources sources;
  source::Diagnostics diagnostics{sources};
  source::Span file;
  size_t mark = 0;
  std::optional<source::Node> root;  // absent if the text is not YAML
  std::vector<Occurrence> names;
  std::vector<std::string> includes;  // URIs
};

}  // namespace slipway::editor
