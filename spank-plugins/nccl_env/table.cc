// The table of `--nccl-env=show`.
#include "spank-plugins/nccl_env/table.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace slipway::nccl_env {
namespace {

using Row = std::array<std::string, 4>;

// Control characters of a user's value must not reach a terminal or break a line.
std::string printable(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

std::string table(const NodeProfile& profile, const Resolution& resolution) {
  std::string out = fmt::format("nccl_env: node {}, machine type {}, transport {}\n", profile.node,
                                profile.machine_type, profile.transport.name);
  if (resolution.decisions.empty()) return out + "  this transport needs no variables\n";

  std::vector<Row> rows = {{"variable", "value", "origin", "why"}};
  for (const Decision& decision : resolution.decisions) {
    rows.push_back({printable(decision.name),
                    decision.value ? printable(*decision.value) : "(not set)", decision.origin,
                    printable(decision.why)});
  }
  std::array<size_t, 3> widths = {};
  for (const Row& row : rows) {
    for (size_t i = 0; i < widths.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  for (const Row& row : rows) {
    out += fmt::format("  {:{}}  {:{}}  {:{}}  {}\n", row[0], widths[0], row[1], widths[1], row[2],
                       widths[2], row[3]);
  }
  return out;
}

}  // namespace slipway::nccl_env
