#!/usr/bin/env python3
"""Tests of the stand-in's instance groups with resize requests."""
import unittest

from testing import REGION, TEMPLATE, ZONE, CloudTest

FLEX = {"scheduling": {"provisioningModel": "FLEX_START", "onHostMaintenance": "TERMINATE", "automaticRestart": False,
                       "instanceTerminationAction": "DELETE", "maxRunDuration": {"seconds": "7200"}},
        "reservationAffinity": {"consumeReservationType": "NO_RESERVATION"}}
GROUPS = f"{ZONE}/instanceGroupManagers"


class Groups(CloudTest):
    def setUp(self):
        super().setUp()
        self.network()
        self.template(**FLEX)

    def group(self, place=ZONE, **more):
        body = {"name": "g", "targetSize": 0, "versions": [{"instanceTemplate": TEMPLATE}],
                "instanceLifecyclePolicy": {"defaultActionOnFailure": "DO_NOTHING"}, **more}
        self.works("POST", f"{place}/instanceGroupManagers", body)
        return f"{place}/instanceGroupManagers/g"

    def ask(self, group, *names, **more):
        self.works("POST", f"{group}/resizeRequests", {"name": "r", "instances": [{"name": name} for name in names], **more})

    def state(self, group):
        return self.works("GET", f"{group}/resizeRequests/r")["state"]

    def test_a_request_makes_all_machines_when_there_is_room_for_all(self):
        self.conditions(stock={"us-central1-a": 1})
        group = self.group()
        self.ask(group, "a", "b")
        self.assertEqual((self.state(group), self.machines()), ("ACCEPTED", []))
        last = self.works("GET", f"{group}/resizeRequests/r")["status"]["lastAttempt"]["error"]["errors"][0]
        self.assertEqual(last["code"], "ZONE_RESOURCE_POOL_EXHAUSTED")
        self.conditions(stock={"us-central1-a": 2})
        self.time += 1
        self.assertEqual((self.state(group), self.machines()), ("SUCCEEDED", ["a", "b"]))
        self.assertEqual(self.works("GET", group)["targetSize"], 2)

    def test_a_regional_group_takes_the_zone_with_room_for_all(self):
        self.conditions(stock={"us-central1-a": 1})
        group = self.group(REGION, distributionPolicy={"targetShape": "ANY_SINGLE_ZONE", "zones": [
            {"zone": "zones/us-central1-a"}, {"zone": "zones/us-central1-b"}]}, updatePolicy={"instanceRedistributionType": "NONE"})
        self.ask(group, "a", "b")
        links = [one["instance"] for one in self.works("POST", f"{group}/listManagedInstances")["managedInstances"]]
        self.assertEqual([link.split("/zones/")[1] for link in links], ["us-central1-b/instances/a", "us-central1-b/instances/b"])

    def test_what_is_wrong_with_a_request(self):
        group = self.group()
        self.refused(400, "resizeBy and instances", "POST", f"{group}/resizeRequests", {"name": "r"})
        self.refused(400, "Must be between 600", "POST", f"{group}/resizeRequests", {"name": "r", "resizeBy": 1, "requestedRunDuration": {"seconds": "60"}})
        self.refused(400, "cannot be found", "POST", GROUPS, {"name": "h", "targetSize": 0, "versions": [{"instanceTemplate": "global/instanceTemplates/no"}]})
        self.refused(409, "alreadyExists", "POST", GROUPS, {"name": "g", "targetSize": 0})

    def test_a_request_can_be_canceled_while_it_waits(self):
        self.conditions(stock={"us-central1-a": 0})
        group = self.group()
        self.ask(group, "a")
        self.refused(400, "cannot be deleted", "DELETE", f"{group}/resizeRequests/r")
        self.works("POST", f"{group}/resizeRequests/r/cancel")
        self.conditions()
        self.time += 10
        self.assertEqual((self.state(group), self.machines()), ("CANCELLED", []))
        self.works("DELETE", f"{group}/resizeRequests/r")

    def test_a_group_goes_with_its_machines_and_its_template_after_it(self):
        group = self.group()
        self.ask(group, "a", "b")
        self.refused(400, "resourceInUseByAnotherResource", "DELETE", TEMPLATE)
        self.conditions(delete_seconds=5)
        self.works("DELETE", group)
        self.time += 5
        self.cloud.advance()
        self.assertEqual(self.machines(), [])
        self.works("DELETE", TEMPLATE)

    def test_groups_of_all_places_are_one_list(self):
        self.group()
        self.group(REGION)
        items = self.works("GET", "projects/p/aggregated/instanceGroupManagers", filter='name eq "g.*"')["items"]
        self.assertEqual({place: [one["name"] for one in scope["instanceGroupManagers"]] for place, scope in items.items() if "instanceGroupManagers" in scope},
                         {"zones/us-central1-a": ["g"], "regions/us-central1": ["g"]})

    def test_members_are_deleted_through_their_group(self):
        group = self.group()
        self.ask(group, "a", "b", "c")
        self.refused(400, "not a member", "POST", f"{group}/deleteInstances", {"instances": [f"{ZONE}/instances/x"]})
        self.works("POST", f"{group}/deleteInstances", {"instances": [f"{ZONE}/instances/a"]})
        self.assertEqual((self.machines(), self.works("GET", group)["targetSize"]), (["b", "c"], 2))

    def test_a_group_makes_again_what_others_delete_unless_it_leaves_failures(self):
        for policy, left in (("REPAIR", ["a"]), ("DO_NOTHING", [])):
            with self.subTest(policy):
                group = self.group(instanceLifecyclePolicy={"defaultActionOnFailure": policy})
                self.ask(group, "a")
                self.works("DELETE", f"{ZONE}/instances/a")
                self.assertEqual(self.machines(), left)
                self.works("DELETE", group)


if __name__ == "__main__":
    unittest.main()
