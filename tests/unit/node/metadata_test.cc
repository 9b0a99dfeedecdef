#include "launcher/node/metadata.h"

#include <nlohmann/json.hpp>

#include "common/error.h"
#include "launcher/node/machine.h"
#include "tests/unit/catch.h"

using namespace slipway;
using namespace slipway::node;
using nlohmann::json;

namespace {

json instance() {
  return {{"name", "c-mega-0"},
          {"zone", "projects/12/zones/us-central1-a"},
          {"attributes",
           {{"slipway-cluster", "c"},
            {"slipway-role", "compute"},
            {"slipway-group", "nodes"},
            {"slipway-files", "gs://bucket/a/folder"}}},
          {"networkInterfaces",
           {{{"ip", "10.0.0.2"}, {"mac", "42:01:0a:00:00:02"}, {"subnetmask", "255.255.240.0"}}}}};
}

json storage(const char* local, const char* server) {
  return {{"server_ip", server},
          {"remote_mount", "/share"},
          {"local_mount", local},
          {"fs_type", "nfs"},
          {"mount_options", nullptr}};
}

json cluster() {
  return {{"schema", "slipway/cluster/1"},
          {"cluster", "c"},
          {"controller", {{"name", "c-controller"}, {"project", "p"}, {"zone", nullptr}}},
          {"munge_key", "projects/p/secrets/s"},
          {"files", {{"slurm/slurm.conf", "ab"}}},
          {"mounts",
           {{"all", {storage("/home/data", "all"), storage("/home", "all")}},
            {"login", {storage("/home", "login"), storage("/apps", "$controller")}}}},
          {"nodesets",
           {{"mega",
             {{"project", "p"},
              {"zones", {"a", "b"}},
              {"template", "link"},
              {"mounts", {storage("/scratch", "nodes")}}}}}}};
}

std::string error_of(const json& given) {
  try {
    read_machine_metadata(given);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

std::string shown(const std::vector<NetworkStorage>& mounts) {
  std::string text;
  for (const NetworkStorage& one : mounts) text += one.server + ":" + one.local + " ";
  return text;
}

}  // namespace

TEST_CASE("metadata: a machine that registers itself has its node_conf and nothing else") {
  CHECK(read_machine_metadata(instance()).node_conf == "");
  json joining = instance();
  joining["attributes"]["slipway-node-conf"] = "CPUs=8 Feature=elastic";
  CHECK(read_machine_metadata(joining).node_conf == "CPUs=8 Feature=elastic");
  joining["attributes"]["slipway-node-conf"] = "CPUs=8' -f /tmp/x";
  CHECK(error_of(joining) ==
        "the metadata `slipway-node-conf` is `CPUs=8' -f /tmp/x`, which is not KEY=VALUE …");
}

TEST_CASE("metadata: a machine reads its identity and where its files are") {
  const MachineMetadata self = read_machine_metadata(instance());
  CHECK(self.name == "c-mega-0");
  CHECK(self.zone == "us-central1-a");
  CHECK(self.cluster == "c");
  CHECK(self.role == "compute");
  CHECK(self.group == "nodes");
  CHECK(self.bucket == "bucket");
  CHECK(self.folder == "a/folder");
  REQUIRE(self.interfaces.size() == 1);
  CHECK(self.interfaces[0].address == "10.0.0.2/20");
}

TEST_CASE("metadata: reports missing values, and a machine outside any cluster") {
  json given = instance();
  given["attributes"].erase("slipway-role");
  CHECK(error_of(given) ==
        "this machine has no metadata `slipway-role`: it is not part of a Slipway cluster");
  given = instance();
  given["attributes"]["slipway-role"] = "king";
  CHECK(error_of(given) == "the metadata `slipway-role` is `king`, which is not a valid role");
  for (const char* files : {"bucket/folder", "gs://bucket", "gs://bucket/"}) {
    given = instance();
    given["attributes"]["slipway-files"] = files;
    CHECK(error_of(given) == "the metadata `slipway-files` is `" + std::string(files) +
                                 "`, which is not gs://BUCKET/FOLDER");
  }
  CHECK(error_of(json::object()).find("no metadata `slipway-cluster`") != std::string::npos);
}

TEST_CASE("metadata: rejects names that would lead outside a folder") {
  json given = instance();
  given["attributes"]["slipway-group"] = "../../etc/passwd";
  CHECK(error_of(given) == "the metadata server gives this machine no name");
}

TEST_CASE("cluster.json: finds a nodeset by a node's name") {
  const ClusterFile file = parse_cluster_file(cluster().dump());
  CHECK(file.controller_zone.empty());
  REQUIRE(nodeset_of(file, "c-mega-17") != nullptr);
  CHECK(nodeset_of(file, "c-mega-17")->instance_template == "link");
  for (const char* name : {"c-mega", "d-mega-1", "c-other-1", "c-1", "c-", ""}) {
    CHECK(nodeset_of(file, name) == nullptr);
  }
}

TEST_CASE("cluster.json: says how a nodeset's machines are made, and older files say nothing") {
  json given = cluster();
  const Nodes old = parse_cluster_file(given.dump()).nodesets.at("mega");
  CHECK(old.zone_target_shape == "ANY_SINGLE_ZONE");
  CHECK(old.buy.empty());
  CHECK_FALSE(old.placement);
  CHECK_FALSE(old.maintenance);
  CHECK(old.instance_properties.empty());
  given["nodesets"]["mega"].update(
      {{"zone_target_shape", "BALANCED"},
       {"static", 2},
       {"dynamic", 30},
       {"machine_type", "a3-megagpu-8g"},
       {"placement", {{"max_distance", nullptr}, {"machines_per_policy", 256}}},
       {"buy",
        {{{"model", "RESERVATION_BOUND"}, {"reservation", "r"}},
         {{"model", "FLEX_START"},
          {"max_run_duration_seconds", 3600},
          {"use_job_duration", true},
          {"termination_action", "DELETE"}}}},
       {"maintenance", {{"interval", nullptr}, {"reservation", true}, {"opportunistic", false}}},
       {"instance_properties", {{"labels", {{"a", "b"}}}}}});
  const Nodes nodes = parse_cluster_file(given.dump()).nodesets.at("mega");
  CHECK(nodes.zone_target_shape == "BALANCED");
  CHECK(nodes.static_count == 2);
  CHECK(nodes.dynamic_count == 30);
  CHECK(nodes.machine_type == "a3-megagpu-8g");
  REQUIRE(nodes.placement);
  CHECK(nodes.placement->max_distance == 0);
  CHECK(nodes.placement->machines_per_policy == 256);
  REQUIRE(nodes.buy.size() == 2);
  CHECK(nodes.buy[0].reservation == "r");
  CHECK(nodes.buy[1].model == "FLEX_START");
  CHECK(nodes.buy[1].max_run_duration_seconds == 3600);
  CHECK(nodes.buy[1].use_job_duration);
  CHECK(nodes.buy[1].termination_action == "DELETE");
  REQUIRE(nodes.maintenance);
  CHECK(nodes.maintenance->reservation);
  CHECK(nodes.instance_properties == R"({"labels":{"a":"b"}})");
}

TEST_CASE("cluster.json: monitoring, which older files do not have") {
  json given = cluster();
  CHECK(parse_cluster_file(given.dump()).monitoring == "none");
  given["monitoring"] = "prometheus";
  CHECK(parse_cluster_file(given.dump()).monitoring == "prometheus");
}

TEST_CASE("cluster.json: a second controller, a database elsewhere, and time limits of scripts") {
  json given = cluster();
  CHECK_FALSE(parse_cluster_file(given.dump()).backup);
  CHECK_FALSE(parse_cluster_file(given.dump()).database);
  CHECK(parse_cluster_file(given.dump()).startup_seconds.empty());
  given["controller"]["backup"] = {{"name", "c-controller-backup"}, {"zone", nullptr}};
  given["database"] = {{"secret", "projects/p/secrets/d"}, {"version", "3"}};
  given["startup_seconds"] = {{"compute", 600}, {"login", 0}};
  const ClusterFile file = parse_cluster_file(given.dump());
  REQUIRE(file.backup);
  CHECK(file.backup->name == "c-controller-backup");
  REQUIRE(file.database);
  CHECK(file.database->secret == "projects/p/secrets/d");
  CHECK(file.database->version == 3);
  CHECK(file.startup_seconds == std::map<std::string, long>{{"compute", 600}, {"login", 0}});
  given["database"]["version"] = "latest";
  CHECK_THROWS_AS(parse_cluster_file(given.dump()), Error);
}

TEST_CASE("cluster.json: a wrong schema or a missing key is an error") {
  json given = cluster();
  given["schema"] = "slipway/cluster/2";
  CHECK_THROWS_WITH(parse_cluster_file(given.dump()),
                    "its schema is \"slipway/cluster/2\", not \"slipway/cluster/1\"");
  given = cluster();
  given.erase("munge_key");
  CHECK_THROWS_AS(parse_cluster_file(given.dump()), Error);
  CHECK_THROWS_AS(parse_cluster_file("{"), Error);
}

TEST_CASE("mounts: every machine has the common ones, and specific ones override them") {
  const ClusterFile file = parse_cluster_file(cluster().dump());
  MachineMetadata self = read_machine_metadata(instance());
  CHECK(shown(mounts_of(file, self)) == "all:/home all:/home/data nodes:/scratch ");
  self.role = "login";
  CHECK(shown(mounts_of(file, self)) == "c-controller:/apps login:/home all:/home/data ");
}

TEST_CASE("names: a machine searches every zone that the cluster uses") {
  ClusterFile file = parse_cluster_file(cluster().dump());
  MachineMetadata self = read_machine_metadata(instance());
  self.zone = "a";
  CHECK(other_domains(file, self) == std::vector<std::string>{"b.c.p.internal"});
  file.controller_zone = "z";
  CHECK(other_domains(file, self) == std::vector<std::string>{"b.c.p.internal", "z.c.p.internal"});
}

TEST_CASE("names: adds domains to /etc/resolv.conf once") {
  const std::string before = "search a.c.p.internal c.p.internal\nnameserver 169.254.169.254\n";
  const std::string after =
      "nameserver 169.254.169.254\nsearch a.c.p.internal c.p.internal b.c.p.internal\n";
  CHECK(resolv_conf_with(before, {"b.c.p.internal"}) == after);
  CHECK(resolv_conf_with(after, {"b.c.p.internal"}) == after);
  CHECK(resolv_conf_with("", {}).empty());
}

TEST_CASE("metadata: lists users with access to the metadata server, if their names are valid") {
  CHECK(read_machine_metadata(instance()).metadata_users.empty());
  json given = instance();
  given["attributes"]["slipway-metadata-users"] = "anna,ext_bob_example.com";
  CHECK(read_machine_metadata(given).metadata_users ==
        std::vector<std::string>{"anna", "ext_bob_example.com"});
  given["attributes"]["slipway-metadata-users"] = "*";
  CHECK(read_machine_metadata(given).metadata_users == std::vector<std::string>{"*"});
  for (const char* wrong : {"anna,,bob", "-x", "a b", "a;b", "a*"}) {
    CAPTURE(wrong);
    given["attributes"]["slipway-metadata-users"] = wrong;
    CHECK(error_of(given).find("which is not a user name") != std::string::npos);
  }
}
