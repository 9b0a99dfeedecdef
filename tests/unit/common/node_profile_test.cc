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
  profile.expected_bandwidth = {{"all_gather", 2, 8589934592, 188.8, 0.1, "a page", "", 8}};
  profile.expected_bandwidth[0].more_nodes = {128, 0.2, "rings"};
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
  CHECK(read.expected_bandwidth.at(0).ranks_per_node == 8);
  REQUIRE(read.expected_bandwidth.at(0).more_nodes);
  CHECK(read.expected_bandwidth.at(0).more_nodes->up_to == 128);
  CHECK(read.expected_bandwidth.at(0).more_nodes->because == "rings");
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

TEST_CASE("node profile: every part of a transport is read back") {
  NodeProfile profile = example();
  profile.transport.single_node = {{"NCCL_NET_PLUGIN", "none", "the daemon does not run"}};
  profile.transport.without_profile = {{"NCCL_CROSS_NIC", "0", "rails"}};
  profile.transport.vendor_profile = {"/opt/profile.sh", {{"NCCL_LIB_DIR", "/opt/lib"}}};
  profile.transport.libraries = {"/opt/lib", {"libnccl-net.so"}, true};
  profile.transport.daemon = {"rxdm", {"image:1"}, {"/opt/rxdm"}, {"/opt/clean"}, "@rx", "up", 60};
  profile.daemons = {
      {"imex", {}, {"/opt/imex"}, {}, "", "", 5, {"/opt/ctl", "-q"}, "READY", "/etc/imex/nodes"}};
  profile.transport.version_sets = {{"1.0.17", "1.0.23", "2.28.7"}};
  profile.transport.limits = {1 << 20, 1 << 30, "2.28"};
  profile.transport.fatal = {
      {"2.24", "2.29.3", "1.0.7", "aarch64", "NCCL_ALGO", "Tree", true, "x"}};
  const std::string text = to_json(profile);
  const NodeProfile::Transport read = parse_node_profile(text, "node.json").transport;
  profile.transport = read;
  CHECK(to_json(profile) == text);
  CHECK(to_json(parse_node_profile(text, "node.json")) == text);
  CHECK(read.daemon.deadline_seconds == 60);
  CHECK(read.fatal.at(0).value == "Tree");
}

TEST_CASE("node profile: a number out of range is refused, not rounded") {
  NodeProfile profile = example();
  profile.transport.daemon = {"rxdm", {}, {"/opt/rxdm"}, {}, "@rx", "", 60};
  profile.transport.limits = {1 << 20, 1 << 30, ""};
  const std::string whole = to_json(profile);
  const auto [key, value, place] = GENERATE(table<std::string, std::string, std::string>({
      {"count", "2", "gpus.count"},
      {"mtu_bytes", "8244", "network_interfaces[0].mtu_bytes"},
      {"nodes", "2", "expected_bandwidth[0].nodes"},
      {"size_bytes", "8589934592", "expected_bandwidth[0].size_bytes"},
      {"busbw_gb_per_s", "188.8", "expected_bandwidth[0].busbw_gb_per_s"},
      {"tolerance", "0.1", "expected_bandwidth[0].tolerance"},
      {"deadline_seconds", "60", "transport.daemon.deadline_seconds"},
      {"memlock_bytes", "1048576", "transport.limits.memlock_bytes"},
      {"dev_shm_bytes", "1073741824", "transport.limits.dev_shm_bytes"},
  }));
  const std::string wrong = GENERATE("-1", "1e300", "-1e300", "18446744073709551615", "\"2\"",
                                     "true", "null", "[]", "{}");
  std::string text = whole;
  const std::string line = "\"" + key + "\": " + value;
  REQUIRE(text.find(line) != text.npos);
  text.replace(text.find(line), line.size(), "\"" + key + "\": " + wrong);
  INFO(place << " " << wrong);
  CHECK_THROWS_WITH(parse_node_profile(text, "node.json"),
                    ContainsSubstring("node.json is not a node profile: `" + place + "` is "));
}

TEST_CASE("node profile: a part of a GPU, GPUs of no model and an unknown role are refused") {
  const std::string whole = to_json(example());
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = whole;
    text.replace(text.find(from), from.size(), to);
    return text;
  };
  CHECK_THROWS_WITH(parse_node_profile(with("\"count\": 2", "\"count\": 8.9"), "n"),
                    "n is not a node profile: `gpus.count` is 8.9, expected a whole number from 0 "
                    "to 1024");
  CHECK_THROWS_WITH(parse_node_profile(with("nvidia-h100-mega-80gb", ""), "n"),
                    ContainsSubstring("`gpus.model` is \"\", expected the model of the GPUs"));
  CHECK_THROWS_WITH(parse_node_profile(with("\"compute\"", "\"computer\""), "n"),
                    ContainsSubstring("`role` is \"computer\", expected `compute`, `login` or"));
}
