// Writes a node profile of every kind into a folder, for the check against the schema:
// write_node_profiles FOLDER
#include "common/file.h"
#include "launcher/cluster/node_profiles.h"
#include "tests/unit/cluster/quickstart.h"

int main(int argc, char** argv) {
  using namespace slipway::cluster;
  if (argc != 2) return 2;
  const std::filesystem::path folder = argv[1];
  const Cluster cluster = quickstart_cluster();
  const Catalogue catalogue = shipped_catalogue();
  for (const Node& node : nodes(cluster)) {
    slipway::NodeProfile profile = profile_of(node, cluster, catalogue, {"local", {"10.0.0.2/16"}});
    if (node.role == "login") {  // as in the cloud: addresses unknown, bandwidth known
      profile.target = "google";
      profile.network_interfaces[0].address.clear();
      profile.expected_bandwidth = {
          {"all_gather", 2, 8LL << 30, 188.8, 0.1, "MG-Cafe benchmark repository"}};
    }
    slipway::write_file(folder / (node.name + ".json"), to_json(profile));
  }
  // And one for every transport, on a machine that has it.
  for (const char* type : {"a3-highgpu-8g", "a3-megagpu-8g", "a3-ultragpu-8g"}) {
    Node node = nodes(cluster).back();
    node.machine.machine_type = type;
    node.machine.networks.resize(catalogue.machine(type).nics.size(), node.machine.networks[0]);
    const slipway::NodeProfile profile = profile_of(node, cluster, catalogue, {"google", {}});
    slipway::write_file(folder / (profile.transport.name + ".json"), to_json(profile));
  }
  return 0;
}
