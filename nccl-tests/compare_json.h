// What bandwidth_compare prints for programs: schema slipway/bandwidth-comparison/1.
#pragma once

#include <string>
#include <vector>

#include "nccl-tests/compare.h"
#include "nccl-tests/verdict.h"

namespace slipway::bandwidth {

// `allowed` is a share, such as 0.02.
std::string to_json(const Sides& sides, const ComparedSides& compared, double allowed);

// Reports that were judged together against the expected figures.
std::string to_json(const std::vector<ReadReport>& reports, const Verdict& verdict);

}  // namespace slipway::bandwidth
