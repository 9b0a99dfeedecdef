// Asks NCCL's RAS service for the report of a run that has failed.
#include "nccl-tests/nccl_ras.h"

#include <fmt/core.h>

#include "common/environment.h"
#include "common/error.h"
#include "common/nccl_ras.h"

namespace slipway::bandwidth {

std::string ras_report() {
  constexpr double patience_seconds = 3;
  std::vector<std::string> lines;
  if (environment_variable(ras_enable_variable) == "0") return "  ras: NCCL_RAS_ENABLE is 0\n";
  try {
    const std::string answer =
        ask_ras(environment_variable(ras_address_variable), patience_seconds);
    lines = ras_findings(answer);
    if (lines.empty()) lines = ras_lines(answer);
  } catch (const Error& error) {
    lines = {error.what()};
  }
  std::string text;
  for (const std::string& line : lines) text += fmt::format("  ras: {}\n", line);
  return text;
}

}  // namespace slipway::bandwidth
