// Writes what a simulated machine has of its transport.
#include "launcher/cluster/transport_files.h"

#include <fmt/core.h>

#include <vector>

#include "common/text.h"
#include "launcher/cluster/node_profiles.h"

namespace slipway::cluster {
namespace {

std::string profile_script(const TransportType& type, const NodeTransport& transport) {
  std::string text = fmt::format(
      "#!/bin/bash\n"
      "# This node is simulated: this script sets what the profile of the transport `{}` sets on "
      "real\n"
      "# machines, but none of the transport's libraries are here.\n",
      type.name);
  const auto add = [&](const NodeTransport::Variable& variable) {
    if (type.not_in_profile.contains(variable.name)) return;
    text += fmt::format("export {}={}\n", variable.name, shell_quote(variable.value));
  };
  for (const NodeTransport::Variable& variable : transport.environment) add(variable);
  for (const NodeTransport::Variable& variable : transport.without_profile) add(variable);
  return text;
}

}  // namespace

std::map<std::filesystem::path, std::string> transport_files(const MachineType& machine,
                                                             const Catalogue& catalogue) {
  const TransportType& type = catalogue.transport(machine.transport);
  const std::string& profile = type.node.vendor_profile.path;
  if (profile.empty()) return {};
  std::vector<NodeProfile::Interface> interfaces;
  for (const MachineType::Nic& nic : machine.nics)
    interfaces.push_back({nic.name, nic.purpose, "", "", nic.mtu_bytes});
  std::map<std::filesystem::path, std::string> files;
  files[profile] = profile_script(type, fill_in(type, interfaces));
  const NodeTransport::Libraries& libraries = type.node.libraries;
  if (!libraries.folder.empty()) {
    files[std::filesystem::path(libraries.folder) / "README"] =
        fmt::format("This node is simulated: it has no {}.\n", join(libraries.names, ", "));
  }
  return files;
}

}  // namespace slipway::cluster
