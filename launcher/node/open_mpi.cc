// Reads the settings of Open MPI.
#include "launcher/node/open_mpi.h"

#include <algorithm>
#include <vector>

#include "common/text.h"

namespace slipway::node {
namespace {

// "btl_tcp_if_include = lo,127.0.0.0/8"
bool keeps_within_node(std::string_view line) {
  const size_t at = line.find('=');
  if (at == line.npos || trim(line.substr(0, at)) != "btl_tcp_if_include") return false;
  const std::vector<std::string> interfaces = split(line.substr(at + 1), ',');
  return std::ranges::all_of(interfaces, [](const std::string& interface) {
    const std::string_view name = trim(interface);
    return name == "lo" || name.starts_with("127.");
  });
}

}  // namespace

std::optional<std::string> reach_other_nodes(std::string_view settings) {
  std::vector<std::string> lines = split(settings, '\n');
  if (std::erase_if(lines, keeps_within_node) == 0) return std::nullopt;
  return join(lines, "\n");
}

}  // namespace slipway::node
