// Tests resuming nodes against a Compute Engine that is short of machines, of quota and of
// patience.
#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "launcher/node/power.h"
#include "tests/unit/catch.h"
#include "tests/unit/node/fake_compute.h"

using namespace slipway;
using namespace slipway::node;
using namespace std::chrono_literals;
using nlohmann::json;
using test::FakeCompute;
using Names = std::vector<std::string>;

namespace {

ClusterFile gpu_cluster(const Names& zones = {"zone-a"}) {
  ClusterFile cluster;
  cluster.cluster = "c";
  Nodes nodes;
  nodes.project = "p";
  nodes.zones = zones;
  nodes.instance_template = "https://compute/v1/projects/p/global/instanceTemplates/t?uniqueId=1";
  cluster.nodesets["gpu"] = nodes;
  return cluster;
}

Names gpu_nodes(int first, int last) {
  Names nodes;
  for (int i = first; i <= last; ++i) nodes.push_back(fmt::format("c-gpu-{}", i));
  return nodes;
}

WaitingJob job_of(long id, const Names& nodes) {
  return {id, nodes, nodes, 0};
}

Resumed resumed(FakeCompute& compute, const ClusterFile& cluster, const ResumeOrder& order,
                std::chrono::seconds time = 300s) {
  Cloud cloud = compute.cloud();
  return resume(cloud, cluster, order, compute.patience(time));
}

std::map<std::string, std::string> reasons_in(const Resumed& result) {
  std::map<std::string, std::string> reasons;
  for (const Failed& failed : result.failed) {
    for (const std::string& node : failed.nodes) reasons[node] = failed.reason;
  }
  return reasons;
}

bool was_said(const FakeCompute& compute, const std::string& words) {
  return std::ranges::any_of(
      compute.said, [&](const std::string& line) { return line.find(words) != std::string::npos; });
}

Way flex_start() {
  Way way{"FLEX_START"};
  way.max_run_duration_seconds = 604800;
  way.min_run_duration_seconds = 600;
  way.use_job_duration = true;
  return way;
}

}  // namespace

TEST_CASE("resume: one request makes the machines of a nodeset, from its template") {
  FakeCompute compute;
  const Resumed result = resumed(compute, gpu_cluster(), {gpu_nodes(0, 2)});
  CHECK(result.failed.empty());
  CHECK(compute.names() == gpu_nodes(0, 2));
  CHECK(compute.asked == Names{"POST zones/zone-a/instances/bulkInsert"});
  CHECK(compute.bodies[0]["sourceInstanceTemplate"] == "projects/p/global/instanceTemplates/t");
  CHECK(compute.bodies[0]["minCount"] == "1");
  CHECK(result.physical_hosts.at("c-gpu-1") == "/cluster/rack/c-gpu-1");
}

TEST_CASE("resume: machines that run or are being made are joined, stopped ones are started") {
  FakeCompute compute;
  compute.instances = {{"c-gpu-0", {"zone-a", "RUNNING"}},
                       {"c-gpu-1", {"zone-a", "STAGING"}},
                       {"c-gpu-2", {"zone-a", "TERMINATED"}}};
  CHECK(resumed(compute, gpu_cluster(), {gpu_nodes(0, 2)}).failed.empty());
  CHECK(compute.asked == Names{"POST zones/zone-a/instances/c-gpu-2/start"});
}

TEST_CASE(
    "resume: a name that another request takes meanwhile is joined, and the rest asked again") {
  FakeCompute compute;
  compute.trouble = {{"bulkInsert", test::refused_with(409, "already exists", "alreadyExists")}};
  CHECK(resumed(compute, gpu_cluster(), {gpu_nodes(0, 1)}).failed.empty());
  CHECK(compute.names() == gpu_nodes(0, 1));
}

TEST_CASE("resume: waits until a machine with the name has stopped") {
  FakeCompute compute;
  compute.delete_takes = 40s;
  compute.instances = {{"c-gpu-0", {"zone-a"}}};
  Cloud cloud = compute.cloud();
  suspend(cloud, gpu_cluster(), {"c-gpu-0"}, compute.patience(60s));
  CHECK(resumed(compute, gpu_cluster(), {gpu_nodes(0, 1)}).failed.empty());
  CHECK(compute.names() == gpu_nodes(0, 1));
  CHECK(was_said(compute, "waiting for c-gpu-0 to stop"));
}

TEST_CASE("resume: a request that outlasts ResumeTimeout fails no node that has a machine") {
  FakeCompute compute;
  compute.instances = {{"c-gpu-0", {"zone-a", "RUNNING"}}};
  compute.bulk_takes = 1000s;
  ResumeOrder order{gpu_nodes(0, 1)};
  order.timeouts = {{"c-gpu-0", 300s}, {"c-gpu-1", 300s}};
  const auto begin = compute.now;
  CHECK(resumed(compute, gpu_cluster(), order, 2000s).failed.empty());
  CHECK(compute.now - begin >= 300s);
  CHECK(compute.now - begin < 400s);
}

TEST_CASE("resume: nodes wait as long as their own partition") {
  FakeCompute compute;
  ClusterFile cluster = gpu_cluster();
  cluster.nodesets["slow"] = cluster.nodesets["gpu"];
  compute.bulk_takes = 700s;
  compute.lists_at_end = true;
  ResumeOrder order{{"c-gpu-0", "c-slow-0"}};
  order.timeouts = {{"c-gpu-0", 60s}, {"c-slow-0", 1200s}};
  const auto reasons = reasons_in(resumed(compute, cluster, order, 1200s));
  CHECK(reasons == std::map<std::string, std::string>{
                       {"c-gpu-0", "the cloud had not made the machine when ResumeTimeout ended"}});
}

TEST_CASE("resume: of a partial failure, every node has the reason of its own operation") {
  FakeCompute compute;
  compute.room = {{"zone-a", 1}};
  const auto reasons = reasons_in(resumed(compute, gpu_cluster(), {gpu_nodes(0, 2)}));
  CHECK(compute.names() == gpu_nodes(0, 0));
  CHECK(reasons.size() == 2);
  CHECK(reasons.at("c-gpu-2") ==
        "zone-a: ZONE_RESOURCE_POOL_EXHAUSTED: The zone does not have enough resources available "
        "to fulfill the request.");
}

TEST_CASE("resume: with several zones it asks the region, and then each zone for the rest") {
  FakeCompute compute;
  compute.room = {{"zone-a", 1}, {"zone-b", 2}, {"zone-c", 0}};
  ClusterFile cluster = gpu_cluster({"zone-a", "zone-b", "zone-c"});
  cluster.nodesets["gpu"].zone_target_shape = "ANY";
  const Resumed result = resumed(compute, cluster, {gpu_nodes(0, 3)});
  CHECK(compute.bodies[0]["locationPolicy"] ==
        json::parse(R"({"targetShape": "ANY", "locations": {"zones/zone-a": {"preference": "ALLOW"},
          "zones/zone-b": {"preference": "ALLOW"}, "zones/zone-c": {"preference": "ALLOW"}}})"));
  CHECK(compute.asked[0] == "POST regions/zone/instances/bulkInsert");
  CHECK(compute.names() == gpu_nodes(0, 2));
  const std::string reason = reasons_in(result).at("c-gpu-3");
  CHECK(reason.find("zone: ZONE_RESOURCE_POOL_EXHAUSTED") == 0);
  CHECK(reason.find("; zone-c: ZONE_RESOURCE_POOL_EXHAUSTED") != std::string::npos);
}

TEST_CASE("resume: a job gets all of its nodes or none, and other jobs get theirs") {
  FakeCompute compute;
  compute.room = {{"zone-a", 3}};
  ResumeOrder order{gpu_nodes(0, 5)};
  order.jobs = {job_of(7, gpu_nodes(0, 3)), job_of(8, gpu_nodes(4, 5))};
  const auto reasons = reasons_in(resumed(compute, gpu_cluster(), order));
  CHECK(compute.names() == gpu_nodes(4, 5));
  CHECK(reasons.size() == 4);
  CHECK(reasons.at("c-gpu-0").find("ZONE_RESOURCE_POOL_EXHAUSTED") != std::string::npos);
  CHECK(compute.bodies[0]["minCount"] == "4");
}

TEST_CASE("resume: what a job got in one nodeset is deleted if the other nodeset has nothing") {
  FakeCompute compute;
  ClusterFile cluster = gpu_cluster();
  cluster.nodesets["big"] = cluster.nodesets["gpu"];
  cluster.nodesets["big"].zones = {"zone-b"};
  compute.errors = {{"zone-b", "QUOTA_EXCEEDED"}};
  compute.instances = {{"c-gpu-9", {"zone-a"}}};
  ResumeOrder order{{"c-gpu-0", "c-gpu-1", "c-gpu-9", "c-big-0"}};
  order.jobs = {job_of(7, order.nodes)};
  const auto reasons = reasons_in(resumed(compute, cluster, order));
  CHECK(compute.names() == Names{"c-gpu-9"});
  CHECK(reasons.size() == 3);
  CHECK(reasons.at("c-big-0").find("zone-b: QUOTA_EXCEEDED: Quota 'NVIDIA_H100_GPUS'") == 0);
  CHECK(reasons.at("c-gpu-0").find("job 7 gets all of its nodes or none: zone-b: QUOTA") == 0);
  CHECK(was_said(compute, "deleting c-gpu-0,c-gpu-1: job 7 cannot have all of its machines"));
}

TEST_CASE("resume: too many requests and a service in trouble are waited for") {
  const HttpAnswer answer =
      GENERATE(test::refused_with(403, "Rate Limit Exceeded", "rateLimitExceeded"),
               test::refused_with(429, "Too many requests", "rateLimitExceeded"),
               test::refused_with(503, "The service is currently unavailable.", "backendError"),
               HttpAnswer{0, "", "connection timed out"});
  FakeCompute compute;
  compute.trouble = {{"bulkInsert", answer}, {"bulkInsert", answer}, {"GET zones", answer}};
  CHECK(resumed(compute, gpu_cluster(), {gpu_nodes(0, 1)}).failed.empty());
  CHECK(compute.names() == gpu_nodes(0, 1));
}

TEST_CASE("resume: a request whose answer was lost is not repeated") {
  FakeCompute compute;
  Cloud honest = compute.cloud();
  bool is_lost = false;
  Cloud cloud([&](const HttpRequest& request) {
    const HttpAnswer answer = compute.send(request);
    if (is_lost || request.url.find("bulkInsert") == std::string::npos) return answer;
    is_lost = true;
    return HttpAnswer{0, "", "connection reset"};
  });
  CHECK(resume(cloud, gpu_cluster(), {gpu_nodes(0, 1)}, compute.patience(300s)).failed.empty());
  CHECK(compute.asked == Names{"POST zones/zone-a/instances/bulkInsert"});
}

TEST_CASE("resume: quota that machines being deleted still use is waited for") {
  FakeCompute compute;
  compute.delete_takes = 60s;
  compute.instances = {{"c-gpu-9", {"zone-a"}}};
  Cloud cloud = compute.cloud();
  suspend(cloud, gpu_cluster(), {"c-gpu-9"}, compute.patience(60s));
  compute.trouble.assign(
      3, {"bulkInsert", test::refused_with(403, "Quota 'CPUS' exceeded.", "quotaExceeded")});
  CHECK(resumed(compute, gpu_cluster(), {gpu_nodes(0, 0)}).failed.empty());
  CHECK(was_said(compute, "waiting for quota of machines that are being deleted"));
}

TEST_CASE("resume: missing quota fails at once if nothing is being deleted") {
  FakeCompute compute;
  compute.errors = {{"zone-a", "QUOTA_EXCEEDED"}};
  const auto begin = compute.now;
  const auto reasons = reasons_in(resumed(compute, gpu_cluster(), {gpu_nodes(0, 0)}, 3000s));
  CHECK(reasons.at("c-gpu-0").find("zone-a: QUOTA_EXCEEDED: Quota") == 0);
  CHECK(compute.now - begin < 60s);
}

TEST_CASE("resume: a missing right is the reason in every zone") {
  FakeCompute compute;
  compute.trouble.assign(9,
                         {"bulkInsert", test::refused_with(403,
                                                           "Required "
                                                           "'compute.instances.create' permission",
                                                           "forbidden")});
  const auto reasons = reasons_in(resumed(compute, gpu_cluster(), {gpu_nodes(0, 0)}));
  CHECK(reasons.at("c-gpu-0") ==
        "zone-a: forbidden: Required 'compute.instances.create' permission");
}

TEST_CASE("resume: 500 nodes take as many requests as one") {
  FakeCompute compute;
  CHECK(resumed(compute, gpu_cluster(), {gpu_nodes(0, 499)}).failed.empty());
  CHECK(compute.instances.size() == 500);
  CHECK(compute.asked.size() == 1);
}

TEST_CASE("resume: ways to buy are tried in their order, with what each wants") {
  FakeCompute compute;
  ClusterFile cluster = gpu_cluster();
  cluster.nodesets["gpu"].buy = {{"RESERVATION_BOUND", "r"}, {"STANDARD"}, {"SPOT"}};
  compute.reservations["zone-a/r"] = {
      {"name", "r"},
      {"deploymentType", "DENSE"},
      {"resourcePolicies", {{"policy", "https://compute/regions/zone/resourcePolicies/close"}}}};
  compute.trouble = {
      {"bulkInsert", test::refused_with(403, "Quota 'CPUS' exceeded.", "quotaExceeded")}};
  compute.errors = {};
  const Resumed result = resumed(compute, cluster, {gpu_nodes(0, 0)});
  CHECK(result.failed.empty());
  REQUIRE(compute.bodies.size() == 1);
  CHECK(compute.bodies[0]["instanceProperties"]["scheduling"]["provisioningModel"] == "STANDARD");

  compute.instances.clear();
  compute.bodies.clear();
  compute.errors = {{"zone-a", "ZONE_RESOURCE_POOL_EXHAUSTED"}};
  const auto reasons = reasons_in(resumed(compute, cluster, {gpu_nodes(0, 0)}));
  REQUIRE(compute.bodies.size() == 3);
  const json& reserved = compute.bodies[0]["instanceProperties"];
  CHECK(reserved["scheduling"]["provisioningModel"] == "RESERVATION_BOUND");
  CHECK(reserved["reservationAffinity"] ==
        json::parse(R"({"consumeReservationType": "SPECIFIC_RESERVATION",
          "key": "compute.googleapis.com/reservation-name", "values": ["r"]})"));
  CHECK(reserved["resourcePolicies"] == json{"close"});
  const json& spot = compute.bodies[2]["instanceProperties"];
  CHECK(spot["scheduling"]["provisioningModel"] == "SPOT");
  CHECK(spot["reservationAffinity"]["consumeReservationType"] == "NO_RESERVATION");
  CHECK(reasons.at("c-gpu-0").find("zone-a, RESERVATION_BOUND: ZONE_RESOURCE") == 0);
  CHECK(reasons.at("c-gpu-0").find("; zone-a, SPOT: ZONE_RESOURCE") != std::string::npos);
}

TEST_CASE("resume: a job's machines share placement policies, as many as they need") {
  FakeCompute compute;
  ClusterFile cluster = gpu_cluster();
  cluster.nodesets["gpu"].placement = Placement{2, 2};
  ResumeOrder order{gpu_nodes(0, 2)};
  order.jobs = {job_of(12, order.nodes)};
  CHECK(resumed(compute, cluster, order).failed.empty());
  CHECK(compute.instances["c-gpu-0"].policies == Names{"c-gpu-12-0"});
  CHECK(compute.instances["c-gpu-1"].policies == Names{"c-gpu-12-0"});
  CHECK(compute.instances["c-gpu-2"].policies == Names{"c-gpu-12-1"});
  CHECK(compute.policies.at("regions/zone/c-gpu-12-1")["groupPlacementPolicy"] ==
        json::parse(R"({"collocation": "COLLOCATED", "maxDistance": 2})"));
  CHECK(compute.asked[0] == "POST beta regions/zone/resourcePolicies");
}

TEST_CASE("resume: machines of an NVLink domain share a policy with its shape") {
  FakeCompute compute;
  ClusterFile cluster = gpu_cluster();
  cluster.nodesets["gpu"].placement = Placement{0, 18, "1x72"};
  cluster.nodesets["gpu"].static_count = 20;
  CHECK(resumed(compute, cluster, {gpu_nodes(0, 19)}).failed.empty());
  CHECK(compute.instances["c-gpu-17"].policies == Names{"c-gpu-static-0"});
  CHECK(compute.instances["c-gpu-18"].policies == Names{"c-gpu-static-1"});
  CHECK(compute.policies.at("regions/zone/c-gpu-static-1")["groupPlacementPolicy"] ==
        json::parse(R"({"collocation": "COLLOCATED", "gpuTopology": "1x72"})"));
}

TEST_CASE("resume: a job that gets nothing leaves no placement policy, but that of static nodes") {
  FakeCompute compute;
  ClusterFile cluster = gpu_cluster();
  cluster.nodesets["gpu"].placement = Placement{2, 2};
  cluster.nodesets["gpu"].static_count = 2;
  compute.errors = {{"zone-a", "QUOTA_EXCEEDED"}, {"zone-b", "QUOTA_EXCEEDED"}};
  ResumeOrder order{gpu_nodes(0, 4)};
  order.jobs = {job_of(12, order.nodes)};
  CHECK_FALSE(resumed(compute, cluster, order).failed.empty());
  REQUIRE(compute.policies.size() == 1);
  CHECK(compute.policies.begin()->first == "regions/zone/c-gpu-static-0");
}

TEST_CASE("resume: flex-start machines of a short job get the shortest run that the cloud takes") {
  FakeCompute compute;
  ClusterFile cluster = gpu_cluster();
  cluster.nodesets["gpu"].buy = {flex_start()};
  ResumeOrder order{gpu_nodes(0, 1)};
  order.jobs = {job_of(5, order.nodes)};
  order.jobs[0].limit_seconds = 300;
  CHECK(resumed(compute, cluster, order).failed.empty());
  CHECK(compute.names() == gpu_nodes(0, 1));
}

TEST_CASE("resume: a job that outlasts flex-start machines gets those of the next way") {
  FakeCompute compute;
  ClusterFile cluster = gpu_cluster();
  ResumeOrder order{gpu_nodes(0, 1)};
  order.jobs = {job_of(5, order.nodes)};
  order.jobs[0].limit_seconds = 604801;
  cluster.nodesets["gpu"].buy = {flex_start()};
  CHECK(reasons_in(resumed(compute, cluster, order)).at("c-gpu-0").find("at most 604800: submit") !=
        std::string::npos);
  cluster.nodesets["gpu"].buy = {flex_start(), Way{"STANDARD"}};
  CHECK(resumed(compute, cluster, order).failed.empty());
  CHECK(compute.groups.empty());
  CHECK(compute.names() == gpu_nodes(0, 1));
}

TEST_CASE("resume: flex-start machines are made together by a group, and deleted through it") {
  FakeCompute compute;
  ClusterFile cluster = gpu_cluster();
  cluster.nodesets["gpu"].buy = {flex_start()};
  ResumeOrder order{gpu_nodes(0, 1)};
  order.jobs = {job_of(5, order.nodes)};
  order.jobs[0].limit_seconds = 7200;
  CHECK(resumed(compute, cluster, order).failed.empty());
  CHECK(compute.names() == gpu_nodes(0, 1));
  REQUIRE(compute.groups.size() == 1);
  const auto& [name, group] = *compute.groups.begin();
  CHECK(name.find("zones/zone-a/c-gpu-flex-5-") == 0);
  CHECK(group["resize"]["requestedRunDuration"]["seconds"] == "7200");
  CHECK(group["instanceLifecyclePolicy"]["defaultActionOnFailure"] == "DO_NOTHING");
  REQUIRE(compute.templates.size() == 1);
  const auto& [template_name, properties] = *compute.templates.begin();
  CHECK(group["versions"][0]["instanceTemplate"] ==
        "projects/p/global/instanceTemplates/" + template_name);
  CHECK(properties["machineType"] == "m");
  CHECK(properties["reservationAffinity"]["consumeReservationType"] == "NO_RESERVATION");
  CHECK(properties["scheduling"] ==
        json::parse(R"({"provisioningModel": "FLEX_START", "preemptible": false,
          "automaticRestart": false, "onHostMaintenance": "TERMINATE",
          "instanceTerminationAction": "DELETE", "maxRunDuration": {"seconds": "7200"}})"));

  Cloud cloud = compute.cloud();
  CHECK(suspend(cloud, cluster, {"c-gpu-0"}, compute.patience(60s)).empty());
  CHECK(compute.names() == Names{"c-gpu-1"});
  CHECK(compute.groups.size() == 1);
  CHECK(suspend(cloud, cluster, {"c-gpu-1"}, compute.patience(60s)).empty());
  CHECK(compute.groups.empty());
  CHECK(compute.templates.empty());
}

TEST_CASE("resume: a group that got no capacity in time is deleted") {
  FakeCompute compute;
  compute.flex_has_capacity = false;
  ClusterFile cluster = gpu_cluster();
  cluster.nodesets["gpu"].buy = {{"FLEX_START"}};
  const auto reasons = reasons_in(resumed(compute, cluster, {gpu_nodes(0, 1)}, 600s));
  CHECK(reasons.size() == 2);
  CHECK(reasons.at("c-gpu-0") == "the cloud had not made the machine when ResumeTimeout ended");
  CHECK(compute.groups.empty());
}
