// Writes the report: the result as JSON, schema `slipway/bandwidth/1`
// (docs/schemas/bandwidth-1.schema.json).
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "nccl-tests/summary.h"
#include "nccl-tests/verdict.h"

namespace slipway::bandwidth {

inline constexpr std::string_view report_schema = "slipway/bandwidth/1";

// As JSON text, two spaces of indentation, a line feed at the end.
std::string to_json(const Setup& setup, const std::vector<Row>& rows, const Verdict& verdict,
                    std::string_view finished_utc);

// Throws Error unless a report can be written to `path`. It tries with a temporary file in the same
// folder, so that a long measurement does not end without a report. The report itself replaces an
// older one at the end, in one step.
void require_writable(const std::filesystem::path& path);

}  // namespace slipway::bandwidth
