// Tests deleting machines against a Compute Engine that counts requests.
#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "launcher/node/power.h"
#include "tests/unit/catch.h"
#include "tests/unit/node/fake_compute.h"

using namespace slipway;
using namespace slipway::node;
using namespace std::chrono_literals;
using test::FakeCompute;
using Names = std::vector<std::string>;

namespace {

ClusterFile cluster_to_suspend() {
  ClusterFile cluster;
  cluster.cluster = "c";
  cluster.nodesets["gpu"] = {"p", {"zone-a", "zone-b"}, "projects/p/template", {}};
  return cluster;
}

Names with_machines(FakeCompute& compute, int count) {
  Names nodes;
  for (int i = 0; i < count; ++i) {
    nodes.push_back(fmt::format("c-gpu-{}", i));
    compute.instances[nodes.back()] = {i % 2 == 0 ? "zone-a" : "zone-b"};
  }
  return nodes;
}

std::vector<Failed> suspended(FakeCompute& compute, const Names& nodes,
                              std::chrono::seconds time = 120s) {
  Cloud cloud = compute.cloud();
  return suspend(cloud, cluster_to_suspend(), nodes, compute.patience(time));
}

}  // namespace

TEST_CASE("suspend: deletes the machines of its nodes only, and many at a time") {
  FakeCompute compute;
  const Names nodes = with_machines(compute, 500);
  compute.instances["c-gpu-500"] = {"zone-a"};
  compute.instances["other-gpu-0"] = {"zone-a"};
  CHECK(suspended(compute, nodes).empty());
  CHECK(compute.names() == Names{"c-gpu-500", "other-gpu-0"});
  CHECK(compute.sent_together >= 50);
}

TEST_CASE("suspend: waits and continues when the limit of requests in a minute is reached") {
  FakeCompute compute;
  const Names nodes = with_machines(compute, 500);
  compute.mutations_a_minute = 300;
  const auto begin = compute.now;
  CHECK(suspended(compute, nodes).empty());
  CHECK(compute.instances.empty());
  CHECK(compute.now - begin < 120s);
}

TEST_CASE("suspend: a refused deletion is repeated if that may help, and reported if not") {
  FakeCompute compute;
  const Names nodes = with_machines(compute, 3);
  compute.trouble = {
      {"DELETE zones/zone-a/instances/c-gpu-0", test::refused_with(503, "busy", "backendError")},
      {"DELETE zones/zone-a/instances/c-gpu-0", {0, "", "connection reset"}},
      {"DELETE zones/zone-b/instances/c-gpu-1",
       test::refused_with(403, "Required 'compute.instances.delete' permission", "forbidden")},
      {"DELETE zones/zone-a/instances/c-gpu-2",
       test::refused_with(404, "The resource was not found", "notFound")}};
  const auto failed = suspended(compute, nodes);
  REQUIRE(failed.size() == 1);
  CHECK(failed[0].nodes == Names{"c-gpu-1"});
  CHECK(failed[0].reason == "zone-b: forbidden: Required 'compute.instances.delete' permission");
  CHECK_FALSE(compute.instances.contains("c-gpu-0"));
}

TEST_CASE("suspend: what is refused until time is up is a failure with the last reason") {
  FakeCompute compute;
  const Names nodes = with_machines(compute, 2);
  compute.trouble.assign(
      1000, {"DELETE", test::refused_with(403, "Rate Limit Exceeded", "rateLimitExceeded")});
  const auto failed = suspended(compute, nodes, 60s);
  REQUIRE(failed.size() == 2);
  CHECK(failed[0].reason.find("Rate Limit Exceeded") != std::string::npos);
}

TEST_CASE("suspend: deletes a job's placement policy with its last machine, never a static one") {
  FakeCompute compute;
  compute.delete_takes = 30s;
  with_machines(compute, 3);
  compute.instances["c-gpu-0"].policies = {"c-gpu-12-0"};
  compute.instances["c-gpu-1"].policies = {"c-gpu-12-0"};
  compute.instances["c-gpu-2"].policies = {"c-gpu-static-0"};
  compute.policies = {{"regions/zone/c-gpu-12-0", {}}, {"regions/zone/c-gpu-static-0", {}}};
  CHECK(suspended(compute, {"c-gpu-0"}).empty());
  CHECK(compute.policies.size() == 2);
  CHECK(suspended(compute, {"c-gpu-1", "c-gpu-2"}).empty());
  REQUIRE(compute.policies.size() == 1);
  CHECK(compute.policies.begin()->first == "regions/zone/c-gpu-static-0");
}
