// Brings a module file up to a version of Cluster Toolkit: its inputs, outputs and metadata, with
// as few changed lines as possible. Resources, rules and everything else that people write stay.
#pragma once

#include <string>
#include <vector>

#include "launcher/modules/toolkit_checkout.h"

namespace slipway::modules {

struct ModuleChange {
  enum class Kind {
    added,
    changed,
    removed,    // from Cluster Toolkit: an input gets `gone`, an output is left out
    lost,       // the file still uses an input that is gone
    by_hand,    // what a person has to write
    unchecked,  // Cluster Toolkit checks it, the file does not
  };
  Kind kind = Kind::changed;
  std::string what;  // "input `mtu`"
  std::string text;  // "default 8896, was 1460"; may be empty
};

struct ModuleUpdate {
  std::string text;  // of the module file; the same as before if nothing changes
  std::vector<ModuleChange> changes;
};

// Updates the module file `file`, whose interface, with bodies, is `ours`. Inputs and outputs with
// `own: true` stay. Throws Error if its YAML has a form that cannot be edited.
ModuleUpdate update_module(source::Span file, const Interface& ours, const ToolkitModule& theirs,
                           const std::string& version, const source::Sources& sources);

}  // namespace slipway::modules
