#include "common/node_profile.h"

#include "common/error.h"
#include "tests/unit/catch.h"

using namespace slipway;

namespace {

NodeProfile example() {
  NodeProfile profile;
  profile.deployment = "quickstart";
  profile.cluster = "quickstart";
  profile.node = "quickstart-nodes-0";
  profile.role = "compute";
  profile.target = "local";
  profile.machine_type = "a3-megagpu-8g";
  profile.gpus = {2, "nvidia-h100-mega-80gb", {"/dev/nvidia0", "/dev/nvidia1"}};
  profile.network_interfaces = {{"enp0s12", "host", "quickstart-net", "10.0.0.5/24", 8244}};
  profile.mounts = {"/home", "/scratch"};
  profile.transport = {"socket", {{"NCCL_NET", "Socket", "no GPUDirect here"}}};
  profile.expected_bandwidth = {{"all_gather", 2, 8589934592, 188.8, 0.1, "a page"}};
  return profile;
}

}  // namespace

TEST_CASE("node profile: what is written is read back") {
  const std::string text = to_json(example());
  const NodeProfile read = parse_node_profile(text, "node.json");
  CHECK(to_json(read) == text);
  CHECK(read.network_interfaces.at(0).mtu_bytes == 8244);
  CHECK(read.mounts == std::vector<std::string>{"/home", "/scratch"});
  CHECK(read.expected_bandwidth.at(0).busbw_gb_per_s == 188.8);
}

TEST_CASE("node profile: a missing key is named with the path") {
  CHECK_THROWS_WITH(
      parse_node_profile(R"({"schema": "slipway/node/1"})", "/etc/x.json"),
      ContainsSubstring("/etc/x.json is not a node profile") && ContainsSubstring("deployment"));
}

TEST_CASE("node profile: another schema is refused") {
  CHECK_THROWS_WITH(
      parse_node_profile(R"({"schema": "slipway/node/2"})", "n"),
      "n is not a node profile: schema is `slipway/node/2`, expected `slipway/node/1`");
}

TEST_CASE("node profile: text that is not JSON is an error with the path") {
  CHECK_THROWS_WITH(parse_node_profile("{", "n"), ContainsSubstring("n is not a node profile"));
}

TEST_CASE("node profile: all that may be said of a transport is read back") {
  NodeProfile profile = example();
  profile.transport.single_node = {{"NCCL_NET_PLUGIN", "none", "the daemon does not run"}};
  profile.transport.without_profile = {{"NCCL_CROSS_NIC", "0", "rails"}};
  profile.transport.vendor_profile = {"/opt/profile.sh", {{"NCCL_LIB_DIR", "/opt/lib"}}};
  profile.transport.libraries = {"/opt/lib", {"libnccl-net.so"}, true};
  profile.transport.daemon = {"rxdm", {"image:1"}, {"/opt/rxdm"}, {"/opt/clean"}, "@rx", "up", 60};
  profile.transport.version_sets = {{"1.0.17", "1.0.23", "2.28.7"}};
  profile.transport.limits = {1 << 20, 1 << 30, "2.28"};
  profile.transport.fatal = {
      {"2.24", "2.29.3", "1.0.7", "aarch64", "NCCL_ALGO", "Tree", true, "x"}};
  const std::string text = to_json(profile);
  const NodeProfile::Transport read = parse_node_profile(text, "node.json").transport;
  profile.transport = read;
  CHECK(to_json(profile) == text);
  CHECK(read.daemon.deadline_seconds == 60);
  CHECK(read.fatal.at(0).value == "Tree");
}
