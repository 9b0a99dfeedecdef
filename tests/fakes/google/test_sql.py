#!/usr/bin/env python3
"""Tests the stand-in's Cloud SQL, and BigQuery's connections."""
import unittest

from testing import CloudTest

HOST = "sqladmin.googleapis.com/sql/v1beta4/projects/p"
CONNECTIONS = "bigqueryconnection.googleapis.com/v1/projects/p/locations/us-central1/connections"


def instance(name="db", version="MYSQL_8_0", **settings):
    return {"name": name, "region": "us-central1", "databaseVersion": version, "settings": {"tier": "db-g1-small", **settings}}


class Sql(CloudTest):
    def insert(self, **more):
        return self.works("POST", f"{HOST}/instances", instance(**more))

    def state(self, name="db"):
        return self.works("GET", f"{HOST}/instances/{name}")["state"]

    def test_fields_and_values_that_do_not_exist_are_refused(self):
        for wrong in ({"color": "red"}, {"edition": "BUSINESS"}, {"ipConfiguration": {"privateNetworks": ["n"]}},
                      {"backupConfiguration": {"enabled": "sometimes"}}):
            self.refused(400, "nvalid", "POST", f"{HOST}/instances", instance(**wrong))
        self.refused(400, "nvalid", "POST", f"{HOST}/instances", instance(version="MYSQL_9"))

    def test_a_tier_belongs_to_an_edition(self):
        self.refused(400, "Invalid Tier", "POST", f"{HOST}/instances", instance(edition="ENTERPRISE_PLUS"))
        self.refused(400, "Invalid Tier", "POST", f"{HOST}/instances", instance(tier="db-perf-optimized-N-2"))
        self.refused(400, "Data cache", "POST", f"{HOST}/instances", instance(dataCacheConfig={"dataCacheEnabled": True}))
        self.refused(400, "not supported", "POST", f"{HOST}/instances",
                     instance(version="MYSQL_5_7", edition="ENTERPRISE_PLUS", tier="db-perf-optimized-N-2"))
        self.insert(edition="ENTERPRISE_PLUS", tier="db-perf-optimized-N-2", dataCacheConfig={"dataCacheEnabled": True})

    def test_an_address_in_a_network_needs_private_services_access(self):
        self.network()
        private = {"ipv4Enabled": False, "privateNetwork": "projects/p/global/networks/n"}
        self.refused(400, "private services access", "POST", f"{HOST}/instances", instance(ipConfiguration=private))
        self.refused(400, "At least one", "POST", f"{HOST}/instances", instance(ipConfiguration={"ipv4Enabled": False}))
        self.works("POST", "projects/p/global/addresses", {"name": "r", "purpose": "VPC_PEERING", "addressType": "INTERNAL", "prefixLength": 20,
                                                         "network": "projects/p/global/networks/n"})
        self.works("POST", "servicenetworking.googleapis.com/v1/services/servicenetworking.googleapis.com/connections",
                   {"network": "projects/p/global/networks/n", "reservedPeeringRanges": ["r"]})
        self.insert(ipConfiguration=private)
        [address] = self.works("GET", f"{HOST}/instances/db")["ipAddresses"]
        self.assertEqual(address["type"], "PRIVATE")

    def test_one_change_waits_for_the_other(self):
        self.conditions(operation_seconds=60)
        operation = self.insert()
        self.assertEqual(self.state(), "PENDING_CREATE")
        self.refused(409, "operationInProgress", "POST", f"{HOST}/instances/db/databases", {"name": "slurm"})
        self.time += 61
        self.assertEqual(self.works("GET", f"{HOST}/operations/{operation['name']}")["status"], "DONE")
        self.assertEqual(self.state(), "RUNNABLE")
        self.works("POST", f"{HOST}/instances/db/databases", {"name": "slurm"})
        self.time += 61
        self.refused(400, "database exists", "POST", f"{HOST}/instances/db/databases", {"name": "slurm"})

    def test_a_deleted_instances_name_is_taken_for_a_week(self):
        self.insert()
        self.refused(409, "instanceAlreadyExists", "POST", f"{HOST}/instances", instance())
        self.works("DELETE", f"{HOST}/instances/db")
        self.refused(404, "instanceDoesNotExist", "GET", f"{HOST}/instances/db")
        self.time += 6 * 86400
        self.refused(409, "instanceAlreadyExists", "POST", f"{HOST}/instances", instance())
        self.time += 86400 + 1
        self.insert()

    def test_users_and_databases_go_with_their_instance(self):
        self.insert(deletionProtectionEnabled=True)
        self.works("POST", f"{HOST}/instances/db/users", {"name": "slurm", "password": "x"})
        names = [one["name"] for one in self.works("GET", f"{HOST}/instances/db/users")["items"]]
        self.assertEqual(names, ["root", "slurm"])
        self.refused(404, "userDoesNotExist", "DELETE", f"{HOST}/instances/db/users", name="slurm", host="10.0.0.1")
        self.works("DELETE", f"{HOST}/instances/db/users", name="slurm")
        self.refused(400, "protected", "DELETE", f"{HOST}/instances/db")
        self.works("PATCH", f"{HOST}/instances/db", {"settings": {"deletionProtectionEnabled": False}})
        self.works("DELETE", f"{HOST}/instances/db")
        self.refused(404, "instanceDoesNotExist", "POST", f"{HOST}/instances/db/users", {"name": "slurm"})
        self.assertEqual([path for path, _ in self.cloud.under("sqladmin", "projects/p/instances/")], [])

    def test_a_connection_keeps_its_credential_to_itself(self):
        login = {"username": "bigquery", "password": "hush"}
        body = {"cloudSql": {"instanceId": "p:us-central1:db", "database": "slurm", "type": "MYSQL", "credential": login}}
        made = self.works("POST", CONNECTIONS, body, connectionId="c")
        self.assertTrue(made["hasCredential"])
        self.assertNotIn("hush", str(self.works("GET", f"{CONNECTIONS}/c")))
        self.refused(409, "alreadyExists", "POST", CONNECTIONS, body, connectionId="c")
        self.refused(400, "PROJECT:LOCATION:INSTANCE", "POST", CONNECTIONS, {"cloudSql": {**body["cloudSql"], "instanceId": "db"}})
        self.refused(400, "nvalid", "POST", CONNECTIONS, {"cloudSql": {**body["cloudSql"], "type": "ORACLE"}})
        self.refused(400, "needs a credential", "POST", CONNECTIONS, {"cloudSql": {**body["cloudSql"], "credential": None}})


if __name__ == "__main__":
    unittest.main()
