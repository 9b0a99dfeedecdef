// What a module becomes on each target, from its module file.
#pragma once

#include <string>

#include "launcher/modules/interface.h"

namespace slipway::modules {

// The type of the one resource of a module that becomes Cluster Toolkit's own Terraform module of
// the same path, which Terraform downloads. Its body says which `providers` that needs, and whether
// it `configures_providers` itself.
inline constexpr const char* toolkit_type = "module";

// The type of a resource of a module with `resources` that is a call of one of Cluster Toolkit's
// modules, for what Google's resources cannot do: toolkit_module.NAME. Its body has that module's
// `path`, its `providers` and its inputs.
inline constexpr const char* toolkit_call_type = "toolkit_module";

// That resource, or nullptr.
const Resource* toolkit_module(const Interface& interface);

// Whether Terraform calls it as a module, so that its outputs are module.ID.OUTPUT.
bool is_called(const Interface& interface);

struct Becomes {
  std::string name;  // one word, for lists and programs: "resources"
  std::string text;  // after "On Google Cloud: " or "On this machine: "; no full stop
};

// name: "resources", "image", "slurm" (it only changes Slurm's configuration), "values" (for other
// modules), "toolkit" (Cluster Toolkit's own module), "own" (the user's module) or "none" (`create`
// refuses it).
Becomes on_google(const Interface& interface);

// name: "cluster" or "nothing"; the text then says why.
Becomes on_this_machine(const Interface& interface);

}  // namespace slipway::modules
