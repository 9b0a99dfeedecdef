#!/usr/bin/env python3
"""Tests of the stand-in of Compute Engine: each case is a request that a fake without rules would accept."""
import json, unittest

from testing import BOOT, REGION, TEMPLATE, ZONE, CloudTest


class Descriptions(CloudTest):
    def test_a_field_that_does_not_exist_is_refused(self):
        self.refused(400, 'Unknown name "mtus"', "POST", "projects/p/global/networks", {"name": "n", "mtus": 1460})

    def test_a_value_that_is_not_in_its_enum_is_refused(self):
        self.network()
        self.refused(400, "FLEXIBLE_START", "POST", "projects/p/global/instanceTemplates",
                     {"name": "t", "properties": self.properties(scheduling={"provisioningModel": "FLEXIBLE_START"})})

    def test_a_method_or_a_parameter_that_does_not_exist_is_refused(self):
        self.assertEqual(self.send("POST", f"{ZONE}/instances/bulkCreate", {})[0], 404)
        self.refused(400, "Cannot bind query parameter", "GET", f"{ZONE}/instances", None, filters="name=a")

    def test_the_maximum_distance_of_a_policy_is_in_the_beta_api_only(self):
        policy = {"name": "c", "groupPlacementPolicy": {"collocation": "COLLOCATED", "maxDistance": 2}}
        self.refused(400, 'Unknown name "maxDistance"', "POST", f"{REGION}/resourcePolicies", policy)
        self.works("POST", f"compute.googleapis.com/compute/beta/{REGION}/resourcePolicies", policy)


class Routes(CloudTest):
    def route(self, **more):
        return {"name": "r", "network": "projects/p/global/networks/n", "destRange": "192.168.0.0/16", "nextHopIp": "10.0.0.7", **more}

    def refused_route(self, reason, **more):
        self.refused(400, reason, "POST", "projects/p/global/routes", self.route(**more))

    def test_a_route_keeps_its_network_and_its_name_is_taken(self):
        self.network()
        self.works("POST", "projects/p/global/routes", self.route())
        self.refused(409, "alreadyExists", "POST", "projects/p/global/routes", self.route(destRange="192.168.7.0/24"))
        made = self.works("GET", "projects/p/global/routes/r")
        self.assertEqual((made["priority"], made["routeType"]), (1000, "STATIC"))
        self.works("DELETE", f"{REGION}/subnetworks/s")
        self.refused(400, "resourceInUseByAnotherResource", "DELETE", "projects/p/global/networks/n")
        self.works("DELETE", "projects/p/global/routes/r")
        self.works("DELETE", "projects/p/global/networks/n")

    def test_a_route_needs_a_network_a_range_and_exactly_one_next_hop(self):
        self.refused_route("cannot be found")
        self.network()
        self.refused_route("resource.destRange", destRange=None)
        self.refused_route("CIDR", destRange="192.168.0.1/16")
        self.refused_route("range of the subnetwork 's'", destRange="10.0.4.0/24")
        self.refused_route("exactly one next hop, not 0", nextHopIp=None)
        self.refused_route("exactly one next hop, not 2", nextHopGateway="default-internet-gateway")
        self.refused_route("between 0 and 65535", priority=65536)
        self.refused_route("resource.tags", tags=["Bad Tag"])

    def test_the_next_hop_has_to_be_in_the_network(self):
        self.network()
        self.refused_route("range of a subnetwork", nextHopIp="10.7.0.1")
        self.refused_route("IP address", nextHopIp="gateway")
        self.refused_route("default-internet-gateway", nextHopIp=None, nextHopGateway="global/gateways/other")
        self.refused_route("cannot be found", nextHopIp=None, nextHopInstance=f"{ZONE}/instances/a")
        self.template()
        self.works("POST", f"{ZONE}/instances/bulkInsert", self.bulk("a"))
        self.works("POST", "projects/p/global/routes", self.route(nextHopIp=None, nextHopInstance=f"{ZONE}/instances/a"))
        self.works("POST", "projects/p/global/networks", {"name": "n2", "autoCreateSubnetworks": False})
        self.refused_route("no interface", name="r2", network="projects/p/global/networks/n2", nextHopIp=None, nextHopInstance=f"{ZONE}/instances/a")
        # The cloud lets a next hop go, and warns about the route.
        self.works("DELETE", f"{ZONE}/instances/a")

    def test_a_route_is_not_changed(self):
        self.network()
        self.works("POST", "projects/p/global/routes", self.route())
        self.assertEqual(self.send("PATCH", "projects/p/global/routes/r", {"priority": 5})[0], 404)


class Names(CloudTest):
    def test_two_subnetworks_of_one_name_in_a_region_are_a_conflict(self):
        self.network()
        body = {"name": "s", "network": "projects/p/global/networks/n", "ipCidrRange": "10.1.0.0/16"}
        self.refused(409, "alreadyExists", "POST", f"{REGION}/subnetworks", body)
        self.works("POST", "projects/p/regions/us-east1/subnetworks", body)

    def test_subnetworks_of_a_network_do_not_overlap(self):
        self.network()
        self.refused(400, "conflicts with existing subnetwork", "POST", f"{REGION}/subnetworks",
                     {"name": "s2", "network": "projects/p/global/networks/n", "ipCidrRange": "10.0.128.0/20"})

    def test_a_name_with_capitals_or_an_underscore_is_refused(self):
        for name in ("My-Net", "my_net", "a" * 64):
            self.refused(400, "invalid", "POST", "projects/p/global/networks", {"name": name})

    def test_what_another_uses_cannot_be_deleted(self):
        self.network()
        self.refused(400, "resourceInUseByAnotherResource", "DELETE", "projects/p/global/networks/n")
        self.template()
        self.works("POST", f"{ZONE}/instances/bulkInsert", self.bulk("a"))
        self.works("DELETE", TEMPLATE)
        self.refused(400, "resourceInUseByAnotherResource", "DELETE", f"{REGION}/subnetworks/s")
        self.refused(400, "resourceInUseByAnotherResource", "DELETE", f"{ZONE}/disks/a")
        self.works("DELETE", f"{ZONE}/instances/a")
        self.works("DELETE", f"{REGION}/subnetworks/s")
        self.refused(404, "notFound", "GET", f"{ZONE}/disks/a")

    def test_a_network_comes_and_goes_with_its_default_route(self):
        self.network()
        wanted = '(network="https://www.googleapis.com/compute/v1/projects/p/global/networks/n") AND (destRange="0.0.0.0/0")'
        route, = self.works("GET", "projects/p/global/routes", filter=wanted)["items"]
        self.works("DELETE", f"{REGION}/subnetworks/s")
        self.works("DELETE", "projects/p/global/networks/n")
        self.refused(404, "notFound", "GET", f"projects/p/global/routes/{route['name']}")
        # Deleted before, as delete_default_routes_on_create has it.
        self.network()
        route, = self.works("GET", "projects/p/global/routes", filter=wanted)["items"]
        self.works("DELETE", f"projects/p/global/routes/{route['name']}")
        self.assertNotIn("items", self.works("GET", "projects/p/global/routes", filter=wanted))

    def test_a_public_image_that_does_not_exist_is_refused(self):
        self.network()
        disk = {**BOOT, "initializeParams": {"sourceImage": "projects/debian-cloud/global/images/family/debian-7"}}
        self.template(disks=[disk])
        self.refused(404, "notFound", "POST", f"{ZONE}/instances/bulkInsert", self.bulk("a"))


class Buying(CloudTest):
    def setUp(self):
        super().setUp()
        self.network()

    def refuses(self, message, **more):
        self.refused(400, message, "POST", "projects/p/global/instanceTemplates", {"name": "t", "properties": self.properties(**more)})

    def test_flex_start_needs_a_limit_deletion_and_no_reservation(self):
        whole = {"provisioningModel": "FLEX_START", "instanceTerminationAction": "DELETE", "onHostMaintenance": "TERMINATE",
                 "automaticRestart": False, "maxRunDuration": {"seconds": "3600"}}
        none = {"consumeReservationType": "NO_RESERVATION"}
        self.refuses("Must be DELETE", scheduling={**whole, "instanceTerminationAction": "STOP"}, reservationAffinity=none)
        for seconds in "300", str(8 * 86400):
            self.refuses("ten minutes to seven days", scheduling={**whole, "maxRunDuration": {"seconds": seconds}}, reservationAffinity=none)
        self.refuses("reservation affinity NO_RESERVATION", scheduling=whole)
        self.template(scheduling=whole, reservationAffinity=none)

    def test_gpus_do_not_migrate_and_standard_machines_have_no_termination_action(self):
        self.refuses("do not support live migration", machineType="a3-megagpu-8g", scheduling={"onHostMaintenance": "MIGRATE"},
                     disks=[{**BOOT, "initializeParams": {**BOOT["initializeParams"], "diskType": "pd-ssd"}}])
        self.refuses("cannot specify a termination action", scheduling={"instanceTerminationAction": "DELETE"})

    def test_what_happens_during_maintenance_depends_on_the_machine_type(self):
        self.refuses("can only live migrate", machineType="e2-standard-4", scheduling={"onHostMaintenance": "TERMINATE"})
        self.refuses("do not support live migration", machineType="c3-standard-192-metal", scheduling={"onHostMaintenance": "MIGRATE"},
                     disks=[{**BOOT, "initializeParams": {**BOOT["initializeParams"], "diskType": "hyperdisk-balanced"}}])
        self.template(machineType="e2-standard-4", scheduling={"onHostMaintenance": "TERMINATE", "preemptible": True, "automaticRestart": False})

    def test_threads_of_a_shared_core_cannot_be_set(self):
        self.template(machineType="e2-medium", advancedMachineFeatures={"threadsPerCore": 1})
        self.refused(400, "threads per core of e2-medium cannot be set", "POST", f"{ZONE}/instances/bulkInsert", self.bulk("a"))

    def test_a_disk_that_exists_has_to_be_of_a_type_that_the_machine_can_have(self):
        self.works("POST", f"{ZONE}/disks", {"name": "state", "sizeGb": "50", "type": f"{ZONE}/diskTypes/pd-ssd"})
        boot = {**BOOT, "initializeParams": {**BOOT["initializeParams"], "diskType": "hyperdisk-balanced"}}
        self.template(machineType="c4-standard-8", disks=[boot, {"source": f"{ZONE}/disks/state"}])
        self.refused(400, "c4-standard-8 does not support it", "POST", f"{ZONE}/instances/bulkInsert", self.bulk("a"))

    def test_a_policy_with_an_nvlink_domain_is_for_its_machines_only(self):
        whole = {"name": "p", "groupPlacementPolicy": {"collocation": "COLLOCATED", "gpuTopology": "1x72"}}
        self.refused(400, "with collocation", "POST", f"{REGION}/resourcePolicies", {**whole, "groupPlacementPolicy": {"gpuTopology": "1x72"}})
        self.refused(400, "Must be a shape", "POST", f"{REGION}/resourcePolicies",
                     {**whole, "groupPlacementPolicy": {"collocation": "COLLOCATED", "gpuTopology": "72"}})
        self.works("POST", f"{REGION}/resourcePolicies", whole)
        boot = {**BOOT, "initializeParams": {**BOOT["initializeParams"], "diskType": "hyperdisk-balanced"}}
        self.template(machineType="a4x-highgpu-4g", disks=[boot], resourcePolicies=["p"], scheduling={"onHostMaintenance": "TERMINATE"})
        names = [f"m-{number:02}" for number in range(20)]
        self.works("POST", f"{ZONE}/instances/bulkInsert", self.bulk(*names, minCount="1"))
        self.assertEqual(self.machines(), names[:18])

    def test_disks_that_a_machine_type_does_not_have_are_refused(self):
        self.refuses("does not support it", machineType="a3-megagpu-8g", scheduling={"onHostMaintenance": "TERMINATE"},
                     disks=[{**BOOT, "initializeParams": {**BOOT["initializeParams"], "diskType": "pd-standard"}}])
        self.refuses("are of type local-ssd", disks=[BOOT, {"type": "SCRATCH", "initializeParams": {}}])

    def reserve(self, **more):
        self.works("POST", f"{ZONE}/reservations", {"name": "r", "specificReservationRequired": True, "specificReservation": {
            "count": "1", "instanceProperties": {"machineType": "n2-standard-4"}}, **more})

    AFFINITY = {"consumeReservationType": "SPECIFIC_RESERVATION", "key": "compute.googleapis.com/reservation-name", "values": ["r"]}

    def test_a_reservation_has_to_exist_and_to_have_room(self):
        self.template(reservationAffinity=self.AFFINITY)
        self.refused(400, "Could not find reservation", "POST", f"{ZONE}/instances/bulkInsert", self.bulk("a"))
        self.reserve()
        operation = self.works("POST", f"{ZONE}/instances/bulkInsert", self.bulk("a", "b", minCount="1"))
        self.assertNotIn("error", self.done(operation))
        self.assertEqual(self.machines(), ["a"])
        self.assertEqual(self.works("GET", f"{ZONE}/reservations/r")["specificReservation"]["inUseCount"], "1")

    def test_a_dense_reservation_wants_machines_bound_to_it(self):
        self.reserve(deploymentType="DENSE")
        self.template(reservationAffinity=self.AFFINITY)
        self.refused(400, "RESERVATION_BOUND", "POST", f"{ZONE}/instances/bulkInsert", self.bulk("a"))
        bound = {"provisioningModel": "RESERVATION_BOUND", "instanceTerminationAction": "DELETE", "onHostMaintenance": "TERMINATE"}
        self.works("POST", f"{ZONE}/instances/bulkInsert", self.bulk("a", instanceProperties={"scheduling": bound}))

    def test_a_placement_policy_is_for_so_many_machines(self):
        self.works("POST", f"{REGION}/resourcePolicies", {"name": "c", "groupPlacementPolicy": {"collocation": "COLLOCATED", "vmCount": 2}})
        self.template()
        more = {"instanceProperties": {"resourcePolicies": [f"{REGION}/resourcePolicies/c"]}, "minCount": "1"}
        self.works("POST", f"{ZONE}/instances/bulkInsert", self.bulk("a", "b", "d", **more))
        self.assertEqual(self.machines(), ["a", "b"])
        self.refused(400, "resourceInUseByAnotherResource", "DELETE", f"{REGION}/resourcePolicies/c")

    def test_a_spot_machine_is_taken_away_and_another_is_not(self):
        self.template(scheduling={"provisioningModel": "SPOT", "instanceTerminationAction": "STOP", "onHostMaintenance": "TERMINATE", "automaticRestart": False})
        self.template("other")
        self.works("POST", f"{ZONE}/instances/bulkInsert", self.bulk("a"))
        self.works("POST", f"{ZONE}/instances/bulkInsert", {**self.bulk("b"), "sourceInstanceTemplate": TEMPLATE[:-1] + "other"})
        self.conditions(preempted=["a", "b"])
        self.assertEqual([self.works("GET", f"{ZONE}/instances/{name}")["status"] for name in "ab"], ["TERMINATED", "RUNNING"])


class Metadata(CloudTest):
    def test_a_value_has_256_kib_and_all_of_them_less_than_512(self):
        self.network()
        for sizes, status in (((262144,), 200), ((262145,), 400), ((262000, 262000), 200), ((262144, 262144), 400)):
            with self.subTest(sizes):
                items = [{"key": f"k{number}", "value": "x" * size} for number, size in enumerate(sizes)]
                got, _ = self.send("POST", "projects/p/global/instanceTemplates", {"name": f"t{sum(sizes)}", "properties": self.properties(metadata={"items": items})})
                self.assertEqual(got, status)


class Interfaces(CloudTest):
    def setUp(self):
        super().setUp()
        self.network()
        self.works("POST", "projects/p/global/networks", {"name": "r", "autoCreateSubnetworks": False, "mtu": 8896,
                                                          "networkProfile": "projects/p/global/networkProfiles/us-central1-a-vpc-roce"})
        for number in range(2):
            self.works("POST", f"{REGION}/subnetworks", {"name": f"r{number}", "network": "projects/p/global/networks/r", "ipCidrRange": f"10.{number + 1}.0.0/16"})

    def machine(self, *interfaces, zone=ZONE):
        rows = [{"subnetwork": f"{REGION}/subnetworks/{name}", "nicType": kind} for name, kind in interfaces]
        return "POST", f"{zone}/instances", {"name": "a", "machineType": f"{zone}/machineTypes/n2-standard-4", "networkInterfaces": rows,
                                             "disks": self.properties()["disks"]}

    def test_a_network_with_an_rdma_profile_has_rdma_interfaces_of_its_zone(self):
        self.refused(400, "must be distinct", *self.machine(("s", "GVNIC"), ("s", "GVNIC")))
        self.refused(400, "has MRDMA interfaces", *self.machine(("s", "GVNIC"), ("r0", "GVNIC")))
        self.refused(400, "has no RDMA interfaces", *self.machine(("s", "MRDMA")))
        both = ("s", "GVNIC"), ("r0", "MRDMA"), ("r1", "MRDMA")
        self.refused(400, "profile is of zone us-central1-a", *self.machine(*both, zone="projects/p/zones/us-central1-b"))
        self.works(*self.machine(*both))


class BulkInsert(CloudTest):
    def setUp(self):
        super().setUp()
        self.network()
        self.template(labels={"slipway-cluster": "c"})

    def children(self, operation):
        listed = self.works("GET", f"{ZONE}/operations", filter=f'operationGroupId = "{operation["operationGroupId"]}" AND operationType = insert')
        return {row["targetLink"].rsplit("/", 1)[1]: row.get("error", {}).get("errors", [{}])[0].get("code") for row in listed["items"]}

    def test_it_takes_minutes(self):
        self.conditions(bulk_insert_seconds=300)
        operation = self.works("POST", f"{ZONE}/instances/bulkInsert", self.bulk("a"))
        self.time += 299
        self.assertEqual((self.done(operation)["status"], self.machines()), ("RUNNING", []))
        self.time += 1
        self.assertEqual((self.done(operation)["status"], self.machines()), ("DONE", ["a"]))

    def test_the_reasons_of_a_part_that_failed_are_in_other_operations(self):
        self.conditions(stock={"us-central1-a": 1})
        operation = self.works("POST", f"{ZONE}/instances/bulkInsert", self.bulk("a", "b", minCount="1"))
        self.assertNotIn("error", self.done(operation))
        self.assertEqual(self.children(operation), {"a": None, "b": "ZONE_RESOURCE_POOL_EXHAUSTED"})
        status = self.done(operation)["instancesBulkInsertOperationMetadata"]["perLocationStatus"]["zones/us-central1-a"]
        self.assertEqual((status["createdVmCount"], status["failedToCreateVmCount"]), (1, 1))

    def test_fewer_than_the_minimum_leave_nothing(self):
        self.conditions(stock={"us-central1-a": 1})
        operation = self.works("POST", f"{ZONE}/instances/bulkInsert", self.bulk("a", "b"))
        codes = [row["code"] for row in self.done(operation)["error"]["errors"]]
        self.assertEqual(codes, ["VM_MIN_COUNT_NOT_REACHED", "ZONE_RESOURCE_POOL_EXHAUSTED"])
        self.assertEqual(self.machines(), [])

    def test_a_machine_that_exists_is_not_made_again(self):
        self.works("POST", f"{ZONE}/instances/bulkInsert", self.bulk("a"))
        operation = self.works("POST", f"{ZONE}/instances/bulkInsert", self.bulk("a", "b", minCount="1"))
        self.assertEqual(self.children(operation), {"a": "RESOURCE_ALREADY_EXISTS", "b": None})

    def test_count_names_and_minimum_have_to_agree(self):
        self.refused(400, "has to equal count", "POST", f"{ZONE}/instances/bulkInsert", {**self.bulk("a"), "count": "2"})
        self.refused(400, "Must be between 1 and count", "POST", f"{ZONE}/instances/bulkInsert", self.bulk("a", minCount="2"))
        self.refused(400, "Exactly one of namePattern", "POST", f"{ZONE}/instances/bulkInsert", self.bulk("a", namePattern="a-#"))

    def test_a_regional_request_takes_the_zone_with_room(self):
        self.conditions(stock={"us-central1-a": 1, "us-central1-b": "ZONE_RESOURCE_POOL_EXHAUSTED"})
        zones = {"zones/us-central1-a": {"preference": "ALLOW"}, "zones/us-central1-b": {"preference": "ALLOW"}, "zones/us-central1-c": {"preference": "ALLOW"}}
        self.works("POST", f"{REGION}/instances/bulkInsert", self.bulk("a", "b", locationPolicy={"locations": zones, "targetShape": "ANY_SINGLE_ZONE"}))
        self.assertEqual(len(self.works("GET", "projects/p/zones/us-central1-c/instances")["items"]), 2)

    def test_what_a_request_sets_replaces_the_templates_field(self):
        self.works("POST", f"{ZONE}/instances/bulkInsert", self.bulk("a", instanceProperties={"labels": {"x": "y"}}))
        self.assertEqual(self.works("GET", f"{ZONE}/instances/a")["labels"], {"x": "y"})
        self.works("POST", f"{ZONE}/instances", {"name": "b", "labels": {"goog-terraform-provisioned": "true"}}, sourceInstanceTemplate=TEMPLATE)
        self.assertNotIn("slipway-cluster", self.works("GET", f"{ZONE}/instances/b")["labels"])

    def test_a_quota_of_the_region_ends_it(self):
        self.conditions(quotas={"us-central1": {"N2_CPUS": 4}})
        operation = self.works("POST", f"{ZONE}/instances/bulkInsert", self.bulk("a", "b", minCount="1"))
        self.assertEqual(self.children(operation), {"a": None, "b": "QUOTA_EXCEEDED"})

    def test_lists_have_pages_filters_and_fields(self):
        self.works("POST", f"{ZONE}/instances/bulkInsert", self.bulk(*(f"a-{number}" for number in range(9))))
        found, page = [], {}
        for _ in range(9):
            answer = self.works("GET", "projects/p/aggregated/instances", filter="labels.slipway-cluster=c AND name=a-*",
                                fields="items/*/instances(name,status),nextPageToken", **page)
            found += [one["name"] for row in answer["items"].values() for one in row["instances"]]
            if "nextPageToken" not in answer:
                break
            page = {"pageToken": answer["nextPageToken"]}
        self.assertEqual(found, [f"a-{number}" for number in range(9)])
        self.refused(400, "invalid", "GET", f"{ZONE}/instances", filter="name = ")


class Limits(CloudTest):
    def test_requests_above_the_allowance_of_a_minute_are_refused(self):
        self.conditions(rate_limits={"list_requests_per_region": 3})
        for _ in range(3):
            self.works("GET", f"{ZONE}/instances")
        self.refused(403, "rateLimitExceeded", "GET", f"{ZONE}/instances")
        self.works("GET", "projects/p/zones/us-east1-b/instances")  # another region has its own
        self.time += 60
        self.works("GET", f"{ZONE}/instances")

    def test_an_allowance_comes_back_at_the_start_of_a_minute_or_steadily(self):
        for refill, after_31_seconds, after_a_minute in (("interval", 6, 6), ("steady", 3, 6)):
            with self.subTest(refill):
                self.time += 600 - self.time % 600 + 31
                self.conditions(rate_limits={"list_requests_per_region": 6}, rate_refill=refill)
                self.assertEqual(self.lists(), 6)
                self.time += 31  # in the next minute
                self.assertEqual(self.lists(), after_31_seconds)
                self.time += 60
                self.assertEqual(self.lists(), after_a_minute)

    def lists(self):
        """How many lists the cloud gives before it refuses one."""
        return next(count for count in range(100) if self.send("GET", f"{ZONE}/instances")[0] == 403)

    def test_a_service_fails_now_and_then(self):
        self.conditions(failures=[{"every": 2, "status": 503}])
        self.assertEqual({self.send("GET", f"{ZONE}/instances")[0] for _ in range(4)}, {200, 503})


class Life(CloudTest):
    def setUp(self):
        super().setUp()
        self.network()
        self.template()
        self.works("POST", f"{ZONE}/instances/bulkInsert", self.bulk("a"))

    def test_a_machine_stops_for_minutes_and_its_name_is_taken_until_it_is_gone(self):
        self.conditions(delete_seconds=120)
        self.works("DELETE", f"{ZONE}/instances/a")
        self.assertEqual(self.works("GET", f"{ZONE}/instances/a")["status"], "STOPPING")
        self.refused(400, "resourceNotReady", "POST", f"{ZONE}/instances/a/start")
        self.time += 120
        self.refused(404, "notFound", "GET", f"{ZONE}/instances/a")

    def test_whoever_deletes_a_file_deletes_the_machine(self):
        (self.folder / "instances/a.json").unlink()
        self.refused(404, "notFound", "GET", f"{ZONE}/instances/a")

    def test_maintenance_is_announced_to_the_machine(self):
        self.works("POST", f"{ZONE}/instances/a/simulateMaintenanceEvent")
        record = json.loads((self.folder / "instances/a.json").read_text())
        self.assertEqual(record["metadata"]["upcomingMaintenance"]["maintenanceStatus"], "PENDING")

    def test_the_guest_has_the_cpus_that_the_template_leaves(self):
        self.template("one", advancedMachineFeatures={"threadsPerCore": 1})
        self.works("POST", f"{ZONE}/instances/bulkInsert", {**self.bulk("b"), "sourceInstanceTemplate": TEMPLATE[:-1] + "one"})
        shown = [json.loads((self.folder / f"instances/{name}.json").read_text())["hardware"] for name in "ab"]
        self.assertEqual([row["sockets"] * row["cores"] * row["threads"] for row in shown], [4, 2])


if __name__ == "__main__":
    unittest.main()
