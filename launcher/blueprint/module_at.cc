// Which module of a blueprint a place in its text belongs to.
#include "launcher/blueprint/module_at.h"

#include <algorithm>
#include <set>

namespace slipway::blueprint {

ModulePlaces::ModulePlaces(const Deployment& deployment) {
  for (const Group& group : deployment.groups) {
    for (const Module& module : group.modules) {
      begins_.push_back(std::min(module.id_span.begin, module.source_span.begin));
    }
  }
  std::ranges::sort(begins_);
  begins_.erase(std::unique(begins_.begin(), begins_.end()), begins_.end());
}

size_t ModulePlaces::module_at(Span place) const {
  return static_cast<size_t>(std::ranges::upper_bound(begins_, place.begin) - begins_.begin());
}

source::Diagnostics ModulePlaces::elsewhere(const source::Diagnostics& found,
                                            const source::Diagnostics& known) const {
  std::set<size_t> wrong;
  for (const source::Diagnostic& diagnostic : known.sorted()) {
    if (diagnostic.severity == source::Severity::error) wrong.insert(module_at(diagnostic.span));
  }
  source::Diagnostics kept(found.sources());
  for (const source::Diagnostic& diagnostic : found.sorted()) {
    // An expression, or one of a module of the library, may lack what an error has prevented.
    if (diagnostic.code == source::Code::bad_module_file ||
        diagnostic.code == source::Code::cannot_evaluate) {
      continue;
    }
    if (wrong.contains(module_at(diagnostic.span))) continue;
    (diagnostic.severity == source::Severity::error ? kept.error(diagnostic.code, {}, {})
                                                    : kept.warning(diagnostic.code, {}, {})) =
        diagnostic;
  }
  return kept;
}

}  // namespace slipway::blueprint
