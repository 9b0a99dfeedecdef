// What can be written at a place of a blueprint.
#pragma once

#include <string>
#include <vector>

#include "launcher/editor/document.h"
#include "launcher/modules/library.h"

namespace slipway::editor {

struct Candidate {
  // The numbers of the protocol's CompletionItemKind.
  enum class Kind {
    module = 9,
    property = 10,
    value = 12,
    keyword = 14,
    reference = 18,
    variable = 6
  };
  std::string text;    // what is written
  std::string detail;  // "string, default \"n2\""
  std::string help;
  Kind kind = Kind::value;
};

struct Completion {
  Range range;  // what a candidate replaces
  std::vector<Candidate> candidates;
};

// Reads only the modules that the blueprint names.
Completion complete(const Document& document, Position position, modules::Library& library,
                    source::Diagnostics& ignored);

// "string, default \"n2\"", "number, required": for completion and hover.
std::string type_of(const modules::Input& input);

}  // namespace slipway::editor
