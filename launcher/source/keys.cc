// Checks the keys of a YAML mapping.
#include "launcher/source/keys.h"

#include <fmt/core.h>

#include <algorithm>

#include "common/text.h"

namespace slipway::source {

void check_keys(const Node& node, std::string_view what, std::span<const std::string> known,
                Code code, Diagnostics& diagnostics) {
  if (!node.is_mapping()) {
    diagnostics.error(code, node.span,
                      fmt::format("{} must be a mapping, but this is {}", what, describe(node)));
    return;
  }
  for (const Entry& entry : node.entries) {
    if (std::find(known.begin(), known.end(), entry.key) != known.end()) continue;
    std::string help = did_you_mean(entry.key, known);
    if (help.empty())
      help = fmt::format("the keys of {} are: {}", what, slipway::join(known, ", "));
    diagnostics.error(code, entry.key_span, fmt::format("{} has no key `{}`", what, entry.key))
        .help(std::move(help));
  }
}

}  // namespace slipway::source
