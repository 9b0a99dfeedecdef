// Judges several reports of one test together against the expected figures that they contain.
#pragma once

#include <vector>

#include "nccl-tests/read_report.h"
#include "nccl-tests/verdict.h"

namespace slipway::bandwidth {

// The reports are of equal runs: differences() of any two is empty. A report whose data was wrong,
// or that failed without a figure, fails all.
Verdict judge_reports(const std::vector<ReadReport>& reports);

}  // namespace slipway::bandwidth
