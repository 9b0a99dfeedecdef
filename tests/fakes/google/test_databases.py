#!/usr/bin/env python3
"""Deploys clusters whose accounting is in Cloud SQL to the stand-in: test_databases.py SLIPWAY"""
import json, pathlib, sys, tempfile, unittest

sys.dont_write_bytecode = True  # keep the source tree clean
HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "golden")]
import test_examples
from control import left
from provider import Failed
from run import installed

BLUEPRINT = """
blueprint_name: database
vars: {deployment_name: books, project_id: my-project, region: us-central1, zone: us-central1-a}
deployment_groups:
- group: primary
  modules:
  - {id: network, source: modules/network/vpc}
  - {id: peering, source: modules/network/private-service-access, use: [network]}
  - id: nodes
    source: community/modules/compute/schedmd-slurm-gcp-v6-nodeset
    use: [network]
    settings: {machine_type: c3-standard-8, node_count_static: 2}
  - {id: partition, source: community/modules/compute/schedmd-slurm-gcp-v6-partition, use: [nodes], settings: {partition_name: cpu}}
  - id: database
    source: community/modules/database/slurm-cloudsql-federation
    use: [network, peering]
    settings: SETTINGS
  - {id: controller, source: community/modules/scheduler/schedmd-slurm-gcp-v6-controller, use: [network, partition, database]}
"""
# Every setting of the module that goes to the service, with an address in the network
EVERYTHING = """{sql_instance_name: books, tier: db-perf-optimized-N-2, edition: ENTERPRISE_PLUS, data_cache_enabled: true, sql_password: hush, enable_backups: true,
      disk_size_gb: 100, disk_autoresize: false, database_version: MYSQL_8_4, database_flags: {innodb_lock_wait_timeout: "900"},
      authorized_networks: [10.1.0.0/16], user_managed_replication: [{location: us-central1}],
      query_insights: {enabled: true, query_string_length: 2048, query_plans_per_minute: 5, record_client_address: true}}"""


class Databases(unittest.TestCase):
    def example(self, settings):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        blueprint = pathlib.Path(folder.name) / "database.yaml"
        blueprint.write_text(BLUEPRINT.replace("SETTINGS", settings))
        return test_examples.Example(blueprint, pathlib.Path(folder.name))

    def life_of(self, settings):
        """Deploys, deploys again without a change, and gives the instance, its users, its databases and what the controller reads."""
        example = self.example(settings)
        example.deploy()
        example.changes.clear()
        example.deploy()
        self.assertEqual(example.changes, [])
        [(path, instance)] = [row for row in example.cloud.under("sqladmin", "projects/my-project/instances/") if row[0].count("/") == 3]
        users = {one["name"]: one for _, one in example.cloud.under("sqladmin", f"{path}/users/")}
        names = [one["name"] for _, one in example.cloud.under("sqladmin", f"{path}/databases/")]
        secret = next(file for file in sorted(example.folder.glob("secrets/*/*/1")) if "cloudsql" in file.parent.name).read_text()
        example.destroy()
        self.assertEqual(left(example.cloud), [])
        return instance, users, names, json.loads(secret)

    def test_a_database_with_the_defaults_is_made_used_and_removed(self):
        instance, users, names, secret = self.life_of("{sql_instance_name: books, tier: db-g1-small}")
        self.assertEqual(sorted(users), ["bigquery", "slurm"])  # not root, who could log in from everywhere
        self.assertEqual(names, ["slurm_accounting"])
        self.assertEqual((secret["server_ip"], secret["user"], secret["db_name"]), (instance["ipAddresses"][0]["ipAddress"], "slurm", "slurm_accounting"))
        self.assertEqual(secret["password"], users["slurm"]["password"])
        self.assertFalse(instance["settings"]["ipConfiguration"]["ipv4Enabled"])

    def test_every_setting_reaches_the_service(self):
        instance, users, _, secret = self.life_of(EVERYTHING)
        settings = instance["settings"]
        self.assertEqual((users["slurm"]["password"], secret["password"]), ("hush", "hush"))
        self.assertEqual((settings["edition"], settings["dataDiskSizeGb"], settings["storageAutoResize"]), ("ENTERPRISE_PLUS", "100", False))
        self.assertEqual(settings["databaseFlags"], [{"name": "innodb_lock_wait_timeout", "value": "900"}])
        self.assertEqual(settings["insightsConfig"]["queryPlansPerMinute"], 5)
        self.assertTrue(settings["backupConfiguration"]["enabled"] and settings["dataCacheConfig"]["dataCacheEnabled"])
        self.assertEqual([row["value"] for row in settings["ipConfiguration"]["authorizedNetworks"]], ["10.1.0.0/16"])

    def test_what_the_service_refuses_ends_the_deployment(self):
        with self.assertRaisesRegex(Failed, "Invalid Tier"):
            self.example("{sql_instance_name: books, tier: db-perf-optimized-N-2}").deploy()


if __name__ == "__main__":
    program = sys.argv.pop(1)
    with tempfile.TemporaryDirectory() as prefix:
        test_examples.SLIPWAY = installed(program, pathlib.Path(prefix) / "prefix")
        unittest.main(verbosity=0)
