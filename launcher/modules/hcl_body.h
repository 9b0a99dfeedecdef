// Reads the structure of an HCL file: attributes and blocks, with their places. Values stay text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "launcher/source/diagnostics.h"

namespace slipway::modules {

struct HclAttribute {
  std::string name;
  source::Span span;   // of the name
  source::Span value;  // of the expression
};

struct HclLabel {
  std::string text;
  source::Span span;
};

struct HclBlock;

struct HclBody {
  std::vector<HclAttribute> attributes;
  std::vector<HclBlock> blocks;

  // The first attribute with the name, or nullptr.
  const HclAttribute* find(std::string_view name) const;
};

struct HclBlock {
  std::string type;
  source::Span span;             // of the type
  std::vector<HclLabel> labels;  // variable "zone" has one
  HclBody body;
};

// Reads one file; `file` is the span that Sources::add returned. At the first syntax error, reports
// it and returns false; `body` then has what precedes the error.
bool read_hcl(source::Span file, const source::Sources& sources, source::Diagnostics& diagnostics,
              HclBody& body);

}  // namespace slipway::modules
