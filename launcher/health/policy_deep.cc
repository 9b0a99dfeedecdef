// Reads when a health policy wants deep checks before jobs may have a node.
#include <fmt/core.h>

#include <algorithm>

#include "launcher/health/policy_reader.h"

namespace slipway::health {

using source::Entry;
using source::Node;

bool DeepChecks::at(std::string_view time) const {
  return std::ranges::find(when, time) != when.end();
}

void PolicyReader::read_deep_checks(const Node& node) {
  if (!is_mapping(node, "`deep_checks`")) return;
  DeepChecks& deep = policy_.deep_checks;
  const std::vector<std::string> known(std::begin(deep_check_times), std::end(deep_check_times));
  for (const Entry& entry : node.entries) {
    if (entry.key == "when") {
      deep.when = texts(entry.value, "`when`");
      for (const std::string& each : deep.when) {
        if (std::ranges::find(known, each) == known.end())
          unknown(entry.value.span, "time of deep checks", each, known);
      }
    } else if (entry.key == "retry_minutes") {
      constexpr NumberRange minutes{0.1, 7 * 24 * 60, false, ""};
      deep.retry_minutes =
          number(entry.value, "`retry_minutes`", minutes).value_or(deep.retry_minutes);
    } else if (entry.key == "detect_percent") {
      constexpr NumberRange percent{1, 99, false, ""};
      deep.detect_percent =
          number(entry.value, "`detect_percent`", percent).value_or(deep.detect_percent);
    } else if (entry.key == "scan_mib") {
      constexpr NumberRange size{0, 65536, true, ""};
      deep.scan_mib = number(entry.value, "`scan_mib`", size).value_or(deep.scan_mib);
    } else {
      unknown(entry.key_span, "key of `deep_checks`", entry.key,
              {"when", "retry_minutes", "detect_percent", "scan_mib"});
    }
  }
}

}  // namespace slipway::health
