// Writes the result in the JSON layout of nccl-tests (its -J, version 3), for the parsers that
// people have for it. Our own layout, with samples and verdict, is in report.h.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "nccl-tests/summary.h"

namespace slipway::bandwidth {

// Of the environment it contains what our report contains, never all of it.
std::string to_nccl_tests_json(const Setup& setup, const std::vector<Row>& rows,
                               std::string_view finished_utc);

// `path`, or if that exists, PATH.0, PATH.1, and so on: nccl-tests overwrites nothing.
std::filesystem::path free_name(const std::filesystem::path& path);

}  // namespace slipway::bandwidth
