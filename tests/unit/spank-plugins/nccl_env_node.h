// A node with its profile and its line in plugstack.conf, for tests of the plugin nccl_env.
#pragma once

#include <cstdlib>
#include <string>
#include <vector>

#include "common/file.h"
#include "common/node_profile.h"
#include "tests/fakes/spank/fake_slurm.h"
#include "tests/unit/temporary_directory.h"

class NcclEnvNode {
 public:
  explicit NcclEnvNode(const std::string& nic = "enp6s0") {
    slipway::NodeProfile profile;
    profile.node = "demo-0";
    profile.role = "compute";
    profile.machine_type = "a3-megagpu-8g";
    profile.transport = {"socket", {{"NCCL_SOCKET_IFNAME", "=" + nic, "the host interface"}}};
    write_profile(slipway::to_json(profile));
  }
  explicit NcclEnvNode(const slipway::NodeTransport& transport) : NcclEnvNode() {
    slipway::NodeProfile profile = slipway::load_node_profile(profile_path());
    profile.transport = transport;
    write_profile(slipway::to_json(profile));
  }
  void write_profile(const std::string& text) { slipway::write_file(profile_path(), text); }
  std::string profile_path() const { return directory_ / "node.json"; }

  fake_slurm::Plugin plugin(const std::vector<std::string>& arguments = {}) const {
    fake_slurm::Plugin plugin{std::getenv("NCCL_ENV_PLUGIN"), {"profile=" + profile_path()}};
    plugin.arguments.insert(plugin.arguments.end(), arguments.begin(), arguments.end());
    return plugin;
  }

 private:
  TemporaryDirectory directory_;
};
