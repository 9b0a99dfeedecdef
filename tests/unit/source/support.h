// Helpers that read YAML in a test and return its diagnostics as text.
#pragma once

#include <optional>
#include <string>

#include "launcher/source/diagnostics.h"
#include "launcher/source/yaml.h"

namespace slipway::source {

// A YAML file and its diagnostics.
struct Reading {
  explicit Reading(std::string text, std::string name = "x.yaml")
      : file(sources.add(std::move(name), std::move(text))) {
    root = read_yaml(file, sources, diagnostics);
  }
  std::string rendered() const { return render(diagnostics); }
  // The source text of a span.
  std::string text(Span span) const { return std::string(sources.text(span)); }

  Sources sources;
  Diagnostics diagnostics{sources};
  Span file;
  std::optional<Node> root;
};

}  // namespace slipway::source
