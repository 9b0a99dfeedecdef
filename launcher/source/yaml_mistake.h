// Turns libyaml's errors into messages about the mistake that the author made. Used by the YAML
// reader.
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

// What was read before the problem.
struct YamlProgress {
  Span bracket;             // the innermost unclosed `[` or `{`, or empty
  uint32_t last_event = 0;  // its beginning
};

YamlMistake explain_mistake(const YamlProblem& problem, const YamlProgress& progress, Span file,
                            const Sources& sources);

// Whether the only problem is that another document begins, without a `---`.
bool begins_document(const YamlProblem& problem, const Sources& sources);

}  // namespace slipway::source
