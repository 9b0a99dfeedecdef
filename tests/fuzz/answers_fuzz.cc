// Fuzz target: input that root's programs read from other machines, other programs or users. Bytes
// are valid, or an Error that Slurm and the log can receive; and Slurm learns of every node that a
// cloud did not provide.
#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "common/error.h"
#include "common/node_profile.h"
#include "launcher/health/job_report.h"
#include "launcher/health/report.h"
#include "launcher/node/power.h"
#include "tests/fuzz/check.h"

namespace {

using namespace slipway;
using fuzz::require;

// The cloud always gives the same answer.
node::Cloud cloud_that_says(const std::string& body) {
  return node::Cloud([body](const node::HttpRequest& request) {
    const bool for_token = request.url.ends_with("/token");
    return node::HttpAnswer{200, for_token ? R"({"access_token": "t", "expires_in": 3599})" : body,
                            ""};
  });
}

void change_power(const std::string& body) {
  node::ClusterFile cluster;
  cluster.cluster = "c";
  cluster.nodesets["gpu"] = {"project", {"zone-a"}, "projects/p/template", {}};
  const node::Patience none{std::chrono::steady_clock::now(), {}};
  const std::vector<std::string> nodes = {"c-gpu-0", "c-gpu-1"};
  node::Cloud cloud = cloud_that_says(body);
  std::set<std::string> reported;
  const node::Resumed resumed = node::resume(cloud, cluster, {nodes}, none);
  for (const node::Failed& one : resumed.failed) {
    require(!one.reason.empty(), "a failure has a reason");
    reported.insert(one.nodes.begin(), one.nodes.end());
  }
  // Only an answer that names a node can say that it is present.
  for (const std::string& node : nodes) {
    require(reported.contains(node) || body.find('\\') != body.npos || body.find(node) != body.npos,
            node + " was not reported: " + body);
  }
  node::suspend(cloud, cluster, nodes, none);
}

void read_profile(const std::string& text) {
  const NodeProfile profile = parse_node_profile(text, "node.json");
  require(profile.gpus.count >= 0 && profile.gpus.count <= 1024, "GPUs are counted");
  const std::string written = to_json(profile);
  require(to_json(parse_node_profile(written, "node.json")) == written,
          "a profile reads back as written");
}

void read(uint8_t reader, const std::string& text) {
  switch (reader % 6) {
    case 0:
      return change_power(text);
    case 1:
      node::parse_cluster_file(text);
      return;
    case 2:
      node::read_machine_metadata(cloud_that_says(text).instance());
      return;
    case 3:
      return read_profile(text);
    case 4:
      health::parse_report(text, 1000);
      return;
    case 5:
      health::read_verdicts(text, "last.json");
      return;
  }
}

}  // namespace

// The first byte selects the reader.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  try {
    read(data[0], std::string(reinterpret_cast<const char*>(data) + 1, size - 1));
  } catch (const Error&) {
    // Invalid input, reported as an error.
  }
  return 0;
}
