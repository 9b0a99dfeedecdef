#include "launcher/cluster/node_profiles.h"

#include "tests/unit/catch.h"
#include "tests/unit/cluster/quickstart.h"

using namespace slipway::cluster;
using slipway::NodeProfile;

namespace {

// The quickstart cluster with the a3-mega nodes on `gpu_networks` additional networks.
Cluster cluster_with_gpu_networks(int gpu_networks) {
  Cluster cluster = quickstart_cluster();
  for (int i = 0; i < gpu_networks; ++i) {
    const std::string n = std::to_string(i);
    cluster.networks.push_back({"gpunet" + n, "quickstart-gpu-net-" + n, "10.1.0.0/16", 0});
    cluster.nodesets[0].machine.networks.push_back("gpunet" + n);
  }
  return cluster;
}

NodeProfile compute_profile(const Cluster& cluster, const ProfileSite& site) {
  return profile_of(nodes(cluster).back(), cluster, shipped_catalogue(), site);
}

}  // namespace

TEST_CASE("node profile: one network makes one interface and the socket transport") {
  const NodeProfile profile = compute_profile(quickstart_cluster(), {"local", {"10.0.0.6/16"}});
  CHECK(to_json(profile) == R"({
  "schema": "slipway/node/1",
  "deployment": "quickstart",
  "cluster": "quickstart",
  "node": "quickstart-a3meganodeset-3",
  "role": "compute",
  "target": "local",
  "machine_type": "a3-megagpu-8g",
  "gpus": {
    "count": 8,
    "model": "nvidia-h100-mega-80gb",
    "devices": [
      "/dev/nvidia0",
      "/dev/nvidia1",
      "/dev/nvidia2",
      "/dev/nvidia3",
      "/dev/nvidia4",
      "/dev/nvidia5",
      "/dev/nvidia6",
      "/dev/nvidia7"
    ]
  },
  "network_interfaces": [
    {
      "name": "enp0s12",
      "purpose": "host",
      "network": "quickstart-net",
      "address": "10.0.0.6/16",
      "mtu_bytes": 8244
    }
  ],
  "mounts": [
    "/home"
  ],
  "transport": {
    "name": "socket",
    "environment": [
      {
        "name": "NCCL_NET",
        "value": "Socket",
        "why": "NCCL fails if it cannot use sockets, instead of silently choosing another network"
      },
      {
        "name": "NCCL_NET_PLUGIN",
        "value": "none",
        "why": "NCCL does not load a network plugin from the container image"
      },
      {
        "name": "NCCL_SOCKET_IFNAME",
        "value": "=enp0s12",
        "why": "sockets use only the host's interfaces; `=` matches exact names, as `enp1` would also match `enp12s0`"
      }
    ],
    "limits": {
      "dev_shm_bytes": 1073741824
    },
    "fatal": [
      {
        "nccl_from": "2.24",
        "variable": "NCCL_ALGO",
        "value": "Tree",
        "why": "with NCCL_ALGO=Tree, collectives except all_reduce have no algorithm and fail with NCCL 2.24 and newer"
      }
    ]
  },
  "expected_bandwidth": []
}
)");
}

TEST_CASE("node profile: networks take the machine's interfaces in order") {
  const NodeProfile profile = compute_profile(cluster_with_gpu_networks(8), {"elsewhere", {}});
  REQUIRE(profile.network_interfaces.size() == 9);
  const auto& nics = profile.network_interfaces;
  CHECK(nics[1].name == "enp6s0");
  CHECK(nics[1].purpose == "gpu");
  CHECK(nics[1].network == "quickstart-gpu-net-0");
  CHECK(nics[1].address.empty());
  CHECK(nics[1].mtu_bytes == 8244);  // the catalogue's, as the network sets none
  CHECK(nics[8].name == "enp142s0");
  CHECK(profile.transport.environment[2].value == "=enp0s12");  // GPU interfaces are not host NICs
}

TEST_CASE("node profile: a machine type's daemon, where the place provides it") {
  Cluster cluster = quickstart_cluster();
  const auto daemons = [&](const std::string& machine_type, const std::string& place) {
    cluster.nodesets[0].machine.machine_type = machine_type;
    return compute_profile(cluster, {place, {}}).daemons;
  };
  REQUIRE(daemons("a4x-highgpu-4g", "google").size() == 1);
  CHECK(daemons("a4x-highgpu-4g", "google")[0].name == "nvidia-imex");
  CHECK(daemons("a4x-highgpu-4g", "google")[0].nodes_file == "/etc/nvidia-imex/nodes_config.cfg");
  CHECK(daemons("a4x-highgpu-4g", "local").empty());
  CHECK(daemons("a4-highgpu-8g", "google").empty());
}

TEST_CASE("node profile: its own transport needs every interface, a place that has it, and rules") {
  std::map<std::string, TransportType> transports;
  transports["socket"] = {"socket", "", {}, {{"NCCL_NET", "Socket", "w", "s"}}};
  transports["tcpxo"] = {
      "tcpxo", "", {"google"}, {{"NCCL_FASTRAK_IFNAME", "$(gpu_nics)", "w", "s"}}};
  const MachineType mega = shipped_catalogue().machine("a3-megagpu-8g");
  const auto transport = [&](int gpu_networks, const std::string& place) {
    const Cluster cluster = cluster_with_gpu_networks(gpu_networks);
    return profile_of(nodes(cluster).back(), cluster,
                      Catalogue({{{mega.name, mega}}, {}, {}}, transports), {place, {}})
        .transport;
  };
  CHECK(transport(8, "google").name == "tcpxo");
  CHECK(transport(8, "google").environment[0].value ==
        "enp6s0,enp7s0,enp13s0,enp14s0,enp134s0,enp135s0,enp141s0,enp142s0");
  CHECK(transport(7, "google").name == "socket");
  CHECK(transport(8, "local").name == "socket");
  transports["tcpxo"].environment.clear();
  CHECK(transport(8, "google").name == "socket");
}

TEST_CASE("node profile: a machine without GPUs lists none") {
  const Cluster cluster = quickstart_cluster();
  const NodeProfile profile =
      profile_of(nodes(cluster).front(), cluster, shipped_catalogue(), {"local", {}});
  CHECK(profile.role == "controller");
  CHECK(profile.gpus.count == 0);
  CHECK(profile.gpus.model.empty());
  CHECK(profile.gpus.devices.empty());
  CHECK(profile.network_interfaces[0].name == "ens4");
}

TEST_CASE("node profile: a mismatch is an error with the node's name") {
  const std::string prefix = "cannot describe node `quickstart-a3meganodeset-3`: ";
  Cluster cluster = quickstart_cluster();
  CHECK_THROWS_WITH(compute_profile(cluster, {"local", {"10.0.0.6/16", "10.1.0.6/16"}}),
                    prefix + "its numbers of networks and addresses differ: 1 and 2");
  CHECK_THROWS_WITH(compute_profile(cluster_with_gpu_networks(9), {"local", {}}),
                    prefix +
                        "it has 10 networks, but its machine type `a3-megagpu-8g` has "
                        "interfaces for only 9");
  cluster.nodesets[0].machine.networks = {"elsewhere"};
  CHECK_THROWS_WITH(compute_profile(cluster, {"local", {}}),
                    prefix + "there is no network `elsewhere`");
  cluster.nodesets[0].machine.networks = {};
  CHECK_THROWS_WITH(compute_profile(cluster, {"local", {}}), prefix + "it has no network");
  cluster.nodesets[0].machine.machine_type = "n2-standard-5";
  CHECK_THROWS_WITH(compute_profile(cluster, {"local", {}}),
                    prefix +
                        "the catalogue has no machine type `n2-standard-5`; did you mean "
                        "`n2-standard-2`?");
}
