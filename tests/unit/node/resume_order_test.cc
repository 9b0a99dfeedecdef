// Tests how an order of Slurm's is read and split into requests.
#include "launcher/node/resume_order.h"

#include <fmt/core.h>

#include "common/error.h"
#include "common/text.h"
#include "launcher/node/slurm_times.h"
#include "tests/unit/catch.h"

using namespace slipway;
using namespace slipway::node;
using namespace std::chrono_literals;
using Names = std::vector<std::string>;

namespace {

ClusterFile placed_cluster(int statics, int machines_per_policy) {
  ClusterFile cluster;
  cluster.cluster = "c";
  Nodes nodes;
  nodes.zones = {"zone-a"};
  nodes.static_count = statics;
  nodes.placement = Placement{0, machines_per_policy};
  cluster.nodesets["gpu"] = nodes;
  return cluster;
}

// "policy: names" of each batch
Names shown(const std::vector<Batch>& batches) {
  Names lines;
  for (const Batch& batch : batches) {
    lines.push_back(fmt::format("{}{} {}: {}", batch.is_whole ? "whole " : "", batch.job,
                                batch.policy, join(batch.names, " ")));
  }
  return lines;
}

Names split_order(const ClusterFile& cluster, const ResumeOrder& order) {
  Names unknown;
  return shown(batches_of(cluster, order, unknown));
}

}  // namespace

TEST_CASE(
    "resume order: a job's nodes are split by number over its policies, with those that run") {
  const ResumeOrder order{{"c-gpu-10", "c-gpu-9", "c-gpu-3"},
                          {{7, {"c-gpu-10", "c-gpu-9", "c-gpu-2", "c-gpu-3"}, {}, 60}}};
  CHECK(split_order(placed_cluster(0, 3), order) ==
        Names{"whole 7 c-gpu-7-0: c-gpu-3 c-gpu-9", "whole 7 c-gpu-7-1: c-gpu-10"});
}

TEST_CASE("resume order: static nodes keep their policy, whichever job waits") {
  const ResumeOrder order{{"c-gpu-0", "c-gpu-3", "c-gpu-4", "c-gpu-5"},
                          {{7, {"c-gpu-3", "c-gpu-4", "c-gpu-5"}, {}, 0}}};
  CHECK(split_order(placed_cluster(4, 2), order) == Names{"whole 7 c-gpu-static-1: c-gpu-3",
                                                          "whole 7 c-gpu-7-0: c-gpu-4 c-gpu-5",
                                                          "0 c-gpu-static-0: c-gpu-0"});
}

TEST_CASE("resume order: a node that two jobs wait for is requested once") {
  const ResumeOrder order{{"c-gpu-0", "c-gpu-1"},
                          {{7, {"c-gpu-0"}, {}, 0}, {8, {"c-gpu-0", "c-gpu-1"}, {}, 0}}};
  CHECK(split_order(placed_cluster(0, 9), order) ==
        Names{"whole 7 : c-gpu-0", "whole 8 c-gpu-8-0: c-gpu-1"});
}

TEST_CASE("resume order: nodes of nobody and of no nodeset") {
  const ResumeOrder order{{"c-gpu-0", "c-other-0", "x"}};
  Names unknown;
  CHECK(shown(batches_of(placed_cluster(0, 9), order, unknown)) == Names{"0 : c-gpu-0"});
  CHECK(unknown == Names{"c-other-0", "x"});
}

TEST_CASE("resume order: more machines than a request takes are several requests") {
  ResumeOrder order;
  for (int i = 0; i < 2500; ++i) order.nodes.push_back(fmt::format("c-gpu-{}", i));
  Names unknown;
  const auto batches = batches_of(placed_cluster(0, 9), order, unknown);
  REQUIRE(batches.size() == 3);
  CHECK(batches[2].names.size() == 500);
}

TEST_CASE("resume order: the nodes of a batch wait as long as the most patient one") {
  ResumeOrder order{{"c-gpu-0", "c-gpu-1"}};
  order.timeouts = {{"c-gpu-0", 270s}, {"c-gpu-1", 1170s}};
  Names unknown;
  CHECK(batches_of(placed_cluster(0, 9), order, unknown)[0].timeout == 1170s);
}

TEST_CASE("resume file: jobs with their nodes, as slurmctld writes it since 23.02, and before") {
  const auto expand = [](const std::string& list) { return split(list, ','); };
  const auto jobs = parse_resume_file(
      R"({"jobs":[{"extra":null,"job_id":140814,"features":null,"nodes_alloc":"c-gpu-0,c-gpu-1",
      "nodes_resume":"c-gpu-1","oversubscribe":"NO","partition":"gpu","reservation":null}],
      "all_nodes_resume":"c-gpu-1"})",
      expand);
  REQUIRE(jobs.size() == 1);
  CHECK(jobs[0].id == 140814);
  CHECK(jobs[0].all == Names{"c-gpu-0", "c-gpu-1"});
  CHECK(jobs[0].resume == Names{"c-gpu-1"});
  const auto old = parse_resume_file(
      R"({"jobs":[{"job_id":3,"nodes":"c-gpu-0,c-gpu-1"}],"all_nodes":"c-gpu-[0-1]"})", expand);
  REQUIRE(old.size() == 1);
  CHECK(old[0].all == Names{"c-gpu-0", "c-gpu-1"});
  CHECK(old[0].resume == Names{"c-gpu-0", "c-gpu-1"});
  CHECK(parse_resume_file(R"({"jobs":[],"all_nodes_resume":"c-gpu-1"})", expand).empty());
  for (const char* text : {"", "[]", "{}", R"({"jobs": 7})", R"({"jobs": [{"job_id": -1}]})"}) {
    CHECK_THROWS_AS(parse_resume_file(text, expand), Error);
  }
}

TEST_CASE("slurm's times: ResumeTimeout is the partition's, or slurm.conf's") {
  const std::string config =
      "ResumeRate              = 0 nodes/min\nResumeTimeout           = 300 sec\n";
  const auto timeouts = resume_timeouts(
      "PartitionName=gpu AllowGroups=ALL ResumeTimeout=1200 SuspendTimeout=GLOBAL\n"
      "PartitionName=cpu AllowGroups=ALL ResumeTimeout=GLOBAL SuspendTimeout=120\n",
      config);
  CHECK(timeouts == std::map<std::string, std::chrono::seconds>{{"cpu", 300s}, {"gpu", 1200s}});
  CHECK(global_resume_timeout("") == 60s);
  CHECK(share_of(300s) == 270s);
  CHECK(share_of(1200s) == 1170s);
  CHECK(share_of(20s) == 15s);
}
