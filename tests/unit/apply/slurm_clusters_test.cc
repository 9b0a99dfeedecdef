// Tests finding Slurm clusters in definitions.
#include "launcher/apply/slurm_clusters.h"

#include <nlohmann/json.hpp>

#include "tests/unit/catch.h"

using namespace slipway::apply;
using Json = nlohmann::ordered_json;

namespace {

std::map<std::string, SlurmCluster> clusters_in(const std::map<std::string, Json>& documents) {
  std::map<std::string, SlurmCluster> clusters;
  add_slurm_clusters(documents, clusters);
  return clusters;
}

Json machine_template(const char* role, const char* project) {
  return {{"project", project},
          {"region", "us-central1"},
          {"metadata", {{"slipway-cluster", "c"}, {"slipway-role", role}}}};
}

}  // namespace

TEST_CASE("clusters: nodes and controller of all groups belong together") {
  const std::map<std::string, Json> nodes = {
      {"gpu.tf.json",
       {{"resource",
         {{"google_compute_instance_template",
           {{"gpu_this", machine_template("compute", "q")}}}}}}}};
  const std::map<std::string, Json> controller = {
      {"controller.tf.json",
       {{"resource",
         {{"google_compute_instance_template", {{"ctl_this", machine_template("controller", "p")}}},
          {"google_compute_instance_from_template",
           {{"ctl_this",
             {{"project", "p"},
              {"zone", "us-central1-a"},
              {"name", "c-controller"},
              {"source_instance_template",
               "${google_compute_instance_template.ctl_this.self_link_unique}"}}},
            {"login_this",
             {{"project", "p"},
              {"zone", "us-central1-a"},
              {"name", "c-login-0"},
              {"source_instance_template",
               "${google_compute_instance_template.login_this.self_link_unique}"}}}}}}}}}};
  std::map<std::string, SlurmCluster> clusters = clusters_in(nodes);
  add_slurm_clusters(controller, clusters);
  REQUIRE(clusters.size() == 1);
  const SlurmCluster& cluster = clusters.at("c");
  CHECK(cluster.name == "c");
  CHECK(cluster.projects == std::set<std::string>{"p", "q"});
  CHECK(cluster.regions == std::set<std::string>{"us-central1"});
  CHECK(cluster.controllers ==
        std::set<SlurmCluster::Controller>{{"p", "us-central1-a", "c-controller"}});
}

TEST_CASE("clusters: the blueprint can keep a cluster's machines") {
  const Json mark = {{"resource",
                      {{"terraform_data",
                        {{"ctl_keep_machines", {{"input", {{"keep_machines_of", "c"}}}}},
                         {"ctl_cleanup", {{"input", {"some-subnetwork"}}}}}}}}};
  const Json made = {{"resource",
                      {{"google_compute_instance_template",
                        {{"ctl_this", machine_template("controller", "p")}}}}}};
  CHECK_FALSE(clusters_in({{"a", made}}).at("c").keeps_machines);
  CHECK(clusters_in({{"a", mark}, {"b", made}}).at("c").keeps_machines);
}

TEST_CASE("clusters: definitions without Slurm have none") {
  CHECK(clusters_in({}).empty());
  CHECK(clusters_in({{"a", {{"resource", {{"google_compute_network", {{"n", {{"name", "n"}}}}}}}}},
                     {"b", Json::array()},
                     {"c", {{"resource", 7}}},
                     {"d", {{"resource", {{"google_compute_instance_template", {{"t", 7}}}}}}}})
            .empty());
}

TEST_CASE("clusters: what Terraform computes is not known here") {
  Json made = machine_template("compute", "${var.project}");
  CHECK(clusters_in({{"a", {{"resource", {{"google_compute_instance_template", {{"t", made}}}}}}}})
            .empty());
}
