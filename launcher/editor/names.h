// Where a blueprint defines and mentions the ids of its modules, its variables and its groups.
#pragma once

#include <string>
#include <vector>

#include "launcher/source/yaml.h"

namespace slipway::editor {

enum class NameKind { module, variable, group };

struct Occurrence {
  NameKind kind = NameKind::module;
  std::string name;
  source::Span span;  // of the name alone, without quotes
  bool is_definition = false;
};

// All of a blueprint or of a deployment file, in the order of its text: `id`, `use`, `depends_on`,
// the keys of `vars` and of a deployment file's `settings`, `group`, and every expression.
std::vector<Occurrence> find_names(const source::Node& root, const source::Sources& sources);

}  // namespace slipway::editor
