// Short ways to read a text in a test and to see what was said about it.
#pragma once

#include <optional>
#include <string>

#include "launcher/source/diagnostics.h"
#include "launcher/source/yaml.h"

namespace slipway::source {

// A file with its diagnostics.
struct Reading {
  explicit Reading(std::string text, std::string name = "x.yaml")
      : file(sources.add(std::move(name), std::move(text))) {
    root = read_yaml(file, sources, diagnostics);
  }
  std::string said() const { return render(diagnostics); }
  // What a span covers, as it stands in the file.
  std::string text(Span span) const { return std::string(sources.text(span)); }

  Sources sources;
  Diagnostics diagnostics{sources};
  Span file;
  std::optional<Node> root;
};

}  // namespace slipway::source
