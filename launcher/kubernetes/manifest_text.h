// The text of a manifest, split into its documents and read. Templates are read without rendering
// them: what only Terraform or Helm knows becomes an unknown of the same length, so places stay
// right.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "launcher/source/yaml.h"

namespace slipway::kubernetes {

struct ManifestText {
  std::string text;
  // The place in the Sources of each byte, and of the end; empty: the text is at `file`.
  std::vector<uint32_t> offsets;
  source::Span file;
  bool in_blueprint = false;  // `$(…)` is an expression, not text

  uint32_t offset(size_t at) const;
};

struct Document {
  source::Node root;  // its spans are those of the manifest, not of a copy
  // Some of its fields are unknown: a template adds lines or chooses between them.
  bool open = false;
};

// Reads each document of a manifest. Syntax errors are reported unless a template may be the cause;
// a duplicate key is a warning, since Kubernetes takes the last one.
std::vector<Document> read_documents(const ManifestText& manifest, source::Sources& sources,
                                     source::Diagnostics& diagnostics);

// Whether a scalar depends on what only the deployment knows.
bool is_unknown(std::string_view text);

}  // namespace slipway::kubernetes
