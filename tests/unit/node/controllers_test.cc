// Tests which of two controllers is in control, and how slurmdbd logs in to a database elsewhere.
#include "launcher/node/controllers.h"

#include "common/error.h"
#include "launcher/node/external_database.h"
#include "tests/unit/catch.h"

using namespace slipway;
using namespace slipway::node;

TEST_CASE("controllers: the first that is up is in control") {
  CHECK(controller_in_control("Slurmctld(primary) at c-controller is UP\n"
                              "Slurmctld(backup) at c-controller-backup is UP\n") ==
        "c-controller");
  CHECK(controller_in_control("Slurmctld(primary) at c-controller is DOWN\n"
                              "Slurmctld(backup) at c-controller-backup(10.0.0.7) is UP\n") ==
        "c-controller-backup");
  CHECK(controller_in_control("Slurmctld(primary) at c-controller is DOWN\n").empty());
  CHECK(controller_in_control("slurm_load_ctl_conf error: Unable to contact slurm controller\n")
            .empty());
}

TEST_CASE("controllers: each that is up is named by its host") {
  CHECK(controllers_up("Slurmctld(primary) at c-controller is UP\n"
                       "Slurmctld(backup) at c-controller-backup(10.0.0.7) is UP\n") ==
        std::vector<std::string>{"c-controller", "c-controller-backup"});
  CHECK(controllers_up("Slurmctld(primary) at c-controller is DOWN\n"
                       "Slurmctld(backup) at c-controller-backup is UP\n") ==
        std::vector<std::string>{"c-controller-backup"});
}

TEST_CASE("database: the secret becomes slurmdbd's login, whatever the password is") {
  CHECK(login_lines(R"({"server_ip": "10.0.0.5", "user": "slurm", "password": "p#a\\s s=w",
                        "db_name": "acct"})") ==
        "StorageHost=\"10.0.0.5\"\nStorageUser=\"slurm\"\nStoragePass=\"p\\#a\\\\s s=w\"\n"
        "StorageLoc=\"acct\"\n");
  CHECK(
      login_lines(R"({"server_ip": "10.0.0.5:3307", "user": "u", "password": "p", "db_name": "d"})")
          .starts_with("StorageHost=\"10.0.0.5\"\nStoragePort=\"3307\"\n"));
}

TEST_CASE("database: a secret that slurmdbd.conf cannot have is refused without being shown") {
  CHECK_THROWS_WITH(
      login_lines(R"({"server_ip": "h", "user": "u", "password": "a\"b", "db_name": "d"})"),
      "password in the database's secret contains a quote or a control character, "
      "which slurmdbd.conf cannot have");
  CHECK_THROWS_WITH(login_lines(R"({"server_ip": "h", "user": "u", "db_name": "d"})"),
                    "the database's secret has no password");
  CHECK_THROWS_WITH(login_lines("top secret"), "the database's secret is not a JSON object");
}

TEST_CASE("database: slurmdbd runs on the second controller only with a database for both") {
  ClusterFile cluster;
  cluster.controller = "c-controller";
  cluster.files["controller/slurmdbd.conf"] = "digest";
  MachineMetadata first, second;
  first.role = second.role = "controller";
  first.name = "c-controller";
  second.name = "c-controller-backup";
  CHECK(runs_slurmdbd(first, cluster));
  cluster.backup = {second.name, "us-central1-b"};
  CHECK(runs_slurmdbd(first, cluster));
  CHECK_FALSE(runs_slurmdbd(second, cluster));
  const std::string before = slurmdbd_conf_mark(cluster);
  cluster.database = {"projects/p/secrets/s", 2};
  CHECK(runs_slurmdbd(second, cluster));
  CHECK(slurmdbd_conf_mark(cluster) != before);
}
