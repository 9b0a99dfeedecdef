// Formats the tables of --nccl-env=show and --nccl-env=warn.
#include "spank-plugins/nccl_env/table.h"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/core.h>

namespace slipway::nccl_env {
namespace {

using Row = std::array<std::string, 4>;

std::string headline(const NodeProfile& profile) {
  return fmt::format("nccl_env: node {}, machine type {}, transport {}\n", profile.node,
                     profile.machine_type, profile.transport.name);
}

// Formats rows in aligned columns.
std::string columns(const std::vector<Row>& rows) {
  std::array<size_t, 3> widths = {};
  for (const Row& row : rows) {
    for (size_t i = 0; i < widths.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string out;
  for (const Row& row : rows) {
    out += fmt::format("  {:{}}  {:{}}  {:{}}  {}\n", row[0], widths[0], row[1], widths[1], row[2],
                       widths[2], row[3]);
  }
  return out;
}

}  // namespace

std::string table(const NodeProfile& profile, const Resolution& resolution) {
  if (resolution.decisions.empty()) {
    return headline(profile) + "  this job needs no variables\n";
  }
  std::vector<Row> rows = {{"variable", "value", "origin", "why"}};
  for (const Decision& decision : resolution.decisions) {
    rows.push_back({printable(decision.name),
                    decision.value ? printable(*decision.value) : "(not set)", decision.origin,
                    printable(decision.why)});
  }
  return headline(profile) + columns(rows);
}

std::string table_without_gpus(const NodeProfile& profile) {
  return headline(profile) + "  nothing is set: the step has no GPUs (--gpus-per-node, --gres)\n";
}

std::string table_of_differences(const NodeProfile& profile, const Resolution& resolution) {
  std::vector<Row> rows = {{"variable", "value", "advised", "why"}};
  for (const Decision& decision : resolution.decisions) {
    if (decision.action == Action::set) {
      rows.push_back({printable(decision.name), "(not set)", printable(decision.value.value_or("")),
                      printable(decision.why)});
    } else if (decision.differs()) {
      rows.push_back({printable(decision.name),
                      decision.value ? printable(*decision.value) : "(not set)",
                      printable(decision.advised), printable(decision.advised_why)});
    }
  }
  if (rows.size() == 1) return "";
  return headline(profile) + columns(rows);
}

}  // namespace slipway::nccl_env
