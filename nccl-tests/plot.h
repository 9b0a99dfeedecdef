// A picture of reports: bandwidth over size, as SVG, without any library.
#pragma once

#include <string>
#include <vector>

#include "nccl-tests/read_report.h"

namespace slipway::bandwidth {

// busbw over size, both on logarithmic scales: a line for each report and placement, a band where
// the interval of the median is known, and what is expected as a dashed line.
std::string plot(const std::vector<ReadReport>& reports);

}  // namespace slipway::bandwidth
