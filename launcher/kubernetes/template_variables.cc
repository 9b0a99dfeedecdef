// Finds variables of templates that have no value.
#include "launcher/kubernetes/template_variables.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "launcher/expression/parser.h"

namespace slipway::kubernetes {

void check_variables(const ManifestText& manifest, const std::vector<std::string>& variables,
                     const std::string& setting, source::Diagnostics& diagnostics) {
  std::vector<uint32_t> offsets;
  for (size_t at = 0; at <= manifest.text.size(); ++at) offsets.push_back(manifest.offset(at));
  std::set<std::string> reported;
  try {
    const auto tree = expression::parse_template({manifest.text, offsets});
    expression::for_each_reference(
        tree, [&](const expression::Traversal& name, source::Span place) {
          const bool is_set = std::ranges::find(variables, name.root) != variables.end();
          if (is_set || name.root.empty() || !reported.insert(name.root).second) return;
          diagnostics
              .error(source::Code::unknown_variable, place,
                     fmt::format("the template has no variable `{}`", name.root))
              .help(source::did_you_mean(name.root, variables))
              .help(fmt::format("its variables are in `{}`", setting));
        });
  } catch (const expression::ExpressionError& error) {
    expression::report(error, manifest.file, diagnostics);
  }
}

}  // namespace slipway::kubernetes
