// Turns recorded bandwidth tests into metrics.
#include "launcher/observe/bandwidth_metrics.h"

#include <time.h>

#include <algorithm>

#include "common/error.h"
#include "launcher/history/store.h"

namespace slipway::observe {
namespace {

double seconds_since_1970(const std::string& utc) {
  std::tm time = {};
  return ::strptime(utc.c_str(), "%Y-%m-%dT%H:%M:%SZ", &time) == nullptr
             ? 0
             : static_cast<double>(::timegm(&time));
}

}  // namespace

void add_bandwidth(MetricSet& set, const std::vector<history::RunRecord>& runs) {
  for (const history::RunRecord& run : runs) {  // later ones replace earlier ones
    const auto largest = std::ranges::max_element(
        run.figures, {}, [](const history::Figure& figure) { return figure.size_bytes; });
    if (largest == run.figures.end()) continue;
    const Labels labels = {{"collective", run.collective},
                           {"nodes", std::to_string(run.nodes)},
                           {"ranks", std::to_string(run.ranks)}};
    set.add("slipway_bandwidth_bus_bytes_per_second", labels, largest->busbw_gb_per_s * 1e9);
    set.add("slipway_bandwidth_timestamp_seconds", labels, seconds_since_1970(run.started));
  }
}

std::string bandwidth_metrics(const std::filesystem::path& database) {
  MetricSet set;
  try {
    if (std::filesystem::exists(database)) {
      add_bandwidth(set, history::Store(database, history::Store::Mode::read).runs({}));
    }
  } catch (const Error&) {
    return "";  // being written, or of another version
  }
  return set.text();
}

}  // namespace slipway::observe
