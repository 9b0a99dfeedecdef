// Draws reports of the bandwidth tests as SVG: bandwidth over size.
#pragma once

#include <string>
#include <vector>

#include "nccl-tests/read_report.h"

namespace slipway::bandwidth {

// busbw over size, both on logarithmic scales: a line for each report and placement, a band where
// the interval of the median is known, and the expected figures as a dashed line. The head names
// the first report's run and every verdict. At least one report.
std::string plot(const std::vector<ReadReport>& reports);

// The picture as PNG, by rsvg-convert (Debian: librsvg2-bin). Throws UsageError where there is
// none, and Error if it fails.
std::string to_png(const std::string& svg);

}  // namespace slipway::bandwidth
