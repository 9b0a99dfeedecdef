// Tests resuming and suspending nodes against a cloud that answers with unexpected JSON: Slurm gets
// a result for every node, whatever the answer.
#include "launcher/node/power.h"

#include <nlohmann/json.hpp>

#include "common/error.h"
#include "tests/unit/catch.h"

using namespace slipway;
using namespace slipway::node;
using namespace std::chrono_literals;

namespace {

ClusterFile one_nodeset() {
  ClusterFile cluster;
  cluster.cluster = "c";
  cluster.nodesets["gpu"] = {"project", {"zone-a", "zone-b"}, "projects/p/template", {}};
  return cluster;
}

// A token first, if it is requested, and then always the same answer.
Cloud cloud_that_says(const std::string& body, int status = 200) {
  return Cloud([body, status](const HttpRequest& request) {
    if (request.url.ends_with("/token")) {
      return HttpAnswer{200, R"({"access_token": "t", "expires_in": 3599})", ""};
    }
    return HttpAnswer{status, body, ""};
  });
}

const std::vector<std::string> strange = {
    "",
    "[]",
    "7",
    "null",
    "\"x\"",
    "{}",
    R"({"items": 7})",
    R"({"items": {"a": 1}})",
    R"({"items": [1, null, "x", [], {"name": 7, "status": []}]})",
    R"({"nextPageToken": 7, "status": 7, "name": [], "error": 7})",
    R"({"status": "DONE", "error": {"errors": {"code": 1}}})",
    R"({"status": "DONE", "error": {"errors": [7]}})",
    R"({"status": "DONE", "error": {"errors": [{"code": 1, "message": []}]}})",
    R"({"items": [], "nextPageToken": "forever"})",
    std::string(1'000'000, '['),
    R"({"items":)" + std::string(100'000, '[') + std::string(100'000, ']') + "}",
    R"({"status": "DONE", "error": {"errors": [{"code": "X", "message": ")" +
        std::string(1'000'000, 'x') + R"("}]}})",
};

}  // namespace

TEST_CASE("power: whatever the cloud answers, every node without a machine is a failure") {
  const int status = GENERATE(200, 400, 403, 500);
  for (const std::string& body : strange) {
    INFO(status << " " << body.substr(0, 80));
    Cloud cloud = cloud_that_says(body, status);
    const ResumeOrder order{{"c-gpu-0", "c-gpu-1", "c-other-0"}};
    // The time of this test: each reading is a second later.
    auto now = std::chrono::steady_clock::now();
    const Patience patience{
        now + 20s, {}, [&](std::chrono::milliseconds) { now += 1s; }, [&] { return now += 100ms; }};
    const auto failed = resume(cloud, one_nodeset(), order, patience).failed;
    std::vector<std::string> nodes;
    for (const Failed& one : failed) {
      CHECK_FALSE(one.reason.empty());
      nodes.insert(nodes.end(), one.nodes.begin(), one.nodes.end());
    }
    std::sort(nodes.begin(), nodes.end());
    CHECK(nodes == std::vector<std::string>{"c-gpu-0", "c-gpu-1", "c-other-0"});
  }
}

TEST_CASE("power: whatever the cloud answers, suspend ends") {
  for (const std::string& body : strange) {
    INFO(body.substr(0, 80));
    Cloud cloud = cloud_that_says(body);
    CHECK_NOTHROW(
        suspend(cloud, one_nodeset(), {"c-gpu-0"}, {std::chrono::steady_clock::now(), {}}));
  }
}

TEST_CASE("power: an invalid answer about this machine or its cluster is an error") {
  for (const std::string& body : strange) {
    INFO(body.substr(0, 80));
    CHECK_THROWS_AS(parse_cluster_file(body), Error);
    const auto json = nlohmann::json::parse(body.size() < 1000 ? body : "[]", nullptr, false);
    if (!json.is_discarded()) CHECK_THROWS_AS(read_machine_metadata(json), Error);
    Cloud cloud = cloud_that_says(body);
    CHECK_THROWS_AS(cloud.secret("projects/p/secrets/s", 1), Error);
  }
  CHECK_THROWS_AS(read_machine_metadata({{"name", 7}, {"zone", {}}, {"attributes", "x"}}), Error);
}
