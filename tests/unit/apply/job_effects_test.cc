// Tests what a deploy says about running jobs.
#include "launcher/apply/job_effects.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "tests/unit/catch.h"

using namespace slipway::apply;
using Json = nlohmann::ordered_json;
using Texts = std::vector<std::string>;

namespace {

Json resource(const char* type, const char* name, const Json& before, const Json& actions) {
  return {{"type", type},
          {"name", name},
          {"change", {{"before", before}, {"actions", actions}, {"after", nullptr}}}};
}

// The deployed cluster.json.
Json cluster_file(int static_nodes, const Json& actions = {"no-op"}) {
  const std::string content =
      fmt::format(R"({{"schema": "slipway/cluster/1", "nodesets": {{"gpu": {{"static": {}}}}}}})",
                  static_nodes);
  return resource("google_storage_bucket_object", "cluster",
                  {{"name", "c/cluster.json"}, {"content", content}}, actions);
}

Json node_template(const Json& actions) {
  return resource(
      "google_compute_instance_template", "gpu_this",
      {{"labels", {{"slipway-nodeset", "gpu"}}}, {"metadata", {{"slipway-role", "compute"}}}},
      actions);
}

Json plan(const Json& changes) {
  return {{"resource_changes", changes}};
}

}  // namespace

TEST_CASE("effects on jobs: a first deploy has none") {
  CHECK(effects_on_jobs(plan({resource("google_compute_network", "n", nullptr, {"create"})})) ==
        Texts{});
  CHECK(effects_on_jobs(Json::object()) == Texts{});
}

TEST_CASE("effects on jobs: a change beside the cluster has no effect") {
  CHECK(effects_on_jobs(plan({cluster_file(64), resource("google_compute_firewall", "f",
                                                         {{"name", "f"}}, {"update"})})) ==
        Texts{"no effect on running jobs"});
}

TEST_CASE("effects on jobs: a new template replaces static nodes a share at a time") {
  const Json actions = GENERATE(Json{"create", "delete"}, Json{"delete", "create"});
  CHECK(
      effects_on_jobs(plan({cluster_file(64, {"update"}), node_template(actions)})) ==
      Texts{"nodeset gpu: 64 static nodes get new machines, at most 6 at a time, idle ones "
            "first; jobs on them end before; dynamic nodes change when they start the next time"});
  CHECK(effects_on_jobs(plan({cluster_file(1), node_template(actions)}))
            .at(0)
            .starts_with("nodeset gpu: 1 static node gets new machines, at most 1 at a time"));
  CHECK(effects_on_jobs(plan({cluster_file(0), node_template(actions)})) ==
        Texts{"nodeset gpu: dynamic nodes change when they start the next time"});
}

TEST_CASE("effects on jobs: a removed nodeset waits for its jobs") {
  CHECK(effects_on_jobs(plan({cluster_file(4), node_template({"delete"})})) ==
        Texts{"nodeset gpu: removed; its machines go when the jobs on them have ended"});
}

TEST_CASE("effects on jobs: the controller and login nodes") {
  const char* type = "google_compute_instance_from_template";
  CHECK(effects_on_jobs(plan({cluster_file(4),
                              resource(type, "c", {{"name", "c-controller"}}, {"delete", "create"}),
                              resource(type, "l", {{"name", "c-login-0"}}, {"delete", "create"}),
                              resource(type, "m", {{"name", "c-login-1"}}, {"delete"}),
                              resource(type, "n", {{"name", "c-login-2"}}, {"update"})})) ==
        Texts{"c-controller: made again; running jobs go on, and Slurm's commands fail until it is "
              "back",
              "c-login-0: made again; what runs on it ends",
              "c-login-1: removed; what runs on it ends"});
}

TEST_CASE("effects on jobs: storage that is deleted") {
  CHECK(effects_on_jobs(plan({cluster_file(4), resource("google_filestore_instance", "home",
                                                        {{"name", "home-1"}}, {"delete"})})) ==
        Texts{"home-1: everything stored on it is lost"});
}

TEST_CASE("effects on jobs: new configuration files") {
  const Texts effects = effects_on_jobs(plan(
      {cluster_file(4),
       resource("google_storage_bucket_object", "f", {{"name", "c/slurm/slurm.conf"}}, {"update"}),
       resource("google_storage_bucket_object", "g", {{"name", "c/slurm/gres.conf"}},
                {"delete", "create"})}));
  REQUIRE(effects.size() == 1);
  CHECK(effects[0].starts_with("slurmctld takes a new configuration within minutes"));
}

TEST_CASE("effects on jobs: a plan of another form is not read") {
  CHECK_NOTHROW(effects_on_jobs(Json::parse(R"({"resource_changes": [7, {}, {"change": []},
    {"type": 1, "change": {"before": {"content": "slipway/cluster/1"}, "actions": [1]}},
    {"type": "google_storage_bucket_object",
     "change": {"before": {"content": "slipway/cluster/1 {"}, "actions": ["update"]}}]})")));
}
