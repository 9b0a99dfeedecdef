// What a mistake in YAML is to the one who wrote the file. Used by the reader.
#pragma once

#include <string>

#include "launcher/source/codes.h"
#include "launcher/source/sources.h"
#include "launcher/source/yaml_events.h"

namespace slipway::source {

struct YamlMistake {
  Code code = Code::yaml_syntax;
  Span span;
  std::string message;
  std::string help{};  // may be empty
};

// `bracket` is the innermost `[` or `{` that has not been closed, or no place.
YamlMistake explain_mistake(const YamlProblem& problem, Span bracket, Span file,
                            const Sources& sources);

// Whether there is nothing wrong but that another document begins, without a `---`.
bool begins_document(const YamlProblem& problem, const Sources& sources);

}  // namespace slipway::source
