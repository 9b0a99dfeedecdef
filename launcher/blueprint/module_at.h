// Which module of a blueprint a place in its text belongs to.
#pragma once

#include <cstdint>
#include <vector>

#include "launcher/blueprint/deployment.h"
#include "launcher/source/diagnostics.h"

namespace slipway::blueprint {

class ModulePlaces {
 public:
  explicit ModulePlaces(const Deployment& deployment);

  // A number for the module that contains the place; 0 for places before the first module. Instances
  // of one module have the same number.
  size_t module_at(Span place) const;

  // The diagnostics of `found` in modules, and outside of them, where `known` has no error.
  source::Diagnostics elsewhere(const source::Diagnostics& found,
                                const source::Diagnostics& known) const;

 private:
  std::vector<uint32_t> begins_;  // of the modules, in order
};

}  // namespace slipway::blueprint
