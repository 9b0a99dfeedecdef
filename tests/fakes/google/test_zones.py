#!/usr/bin/env python3
"""Deploys a zone of Cloud DNS to the stand-in, and tests what that refuses: test_zones.py SLIPWAY"""
import pathlib, sys, tempfile, unittest

sys.dont_write_bytecode = True  # keep the source tree clean
HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "golden")]
import test_examples
from control import left
from provider import Failed
from run import installed
from testing import CloudTest

BLUEPRINT = """
blueprint_name: zones
vars: {deployment_name: zones, project_id: my-project, region: us-central1, zone: us-central1-a}
deployment_groups:
- group: primary
  modules:
  - id: zone
    source: modules/network/dns-managed-zone
    settings:
      zone_name: cluster
      dns_name: cluster.example.com.
      recordsets:
      - {name: "", type: TXT, ttl: 300, rrdatas: ['"of the tests"']}
      - {name: login, type: A, ttl: 300, rrdatas: [RECORD]}
      - {name: www, type: CNAME, ttl: 300, rrdatas: [login.cluster.example.com.]}
"""


class Deployed(unittest.TestCase):
    def example(self, address):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        blueprint = pathlib.Path(folder.name) / "zones.yaml"
        blueprint.write_text(BLUEPRINT.replace("RECORD", address))
        return test_examples.Example(blueprint, pathlib.Path(folder.name))

    def test_a_zone_with_its_records_is_made_and_removed(self):
        example = self.example("203.0.113.7")
        example.deploy()
        [(_, zone)] = example.cloud.under("dns", "projects/my-project/managedZones/")
        self.assertEqual(sorted((row["name"].removesuffix("cluster.example.com."), row["type"]) for row in zone["records"]),
                         [("", "NS"), ("", "SOA"), ("", "TXT"), ("login.", "A"), ("www.", "CNAME")])
        example.changes.clear()
        example.deploy()
        self.assertEqual(example.changes, [])
        example.destroy()
        self.assertEqual(left(example.cloud), [])

    def test_a_record_that_the_service_refuses_ends_the_deployment(self):
        with self.assertRaisesRegex(Failed, "not an address of that type"):
            self.example("203.0.113.700").deploy()


class Refused(CloudTest):
    ZONES = "dns.googleapis.com/dns/v1/projects/p/managedZones"

    def setUp(self):
        super().setUp()
        self.works("POST", self.ZONES, {"name": "z", "dnsName": "example.com.", "description": ""})

    def add(self, name="a.example.com.", kind="A", data="192.0.2.1", **more):
        return {"additions": [{"name": name, "type": kind, "ttl": 5, "rrdatas": [data], **more}]}

    def test_zones(self):
        self.refused(409, "alreadyExists", "POST", self.ZONES, {"name": "z", "dnsName": "example.org.", "description": ""})
        self.refused(400, "final dot", "POST", self.ZONES, {"name": "y", "dnsName": "example.org", "description": ""})
        self.refused(400, "required", "POST", self.ZONES, {"name": "y", "dnsName": "example.org."})
        self.refused(400, "public or private", "POST", self.ZONES, {"name": "y", "dnsName": "example.org.", "description": "", "visibility": "both"})
        self.refused(400, "Unknown name", "POST", self.ZONES, {"name": "y", "dnsName": "example.org.", "description": "", "owner": "me"})
        self.refused(400, "cannot be changed", "PATCH", f"{self.ZONES}/z", {"dnsName": "example.org."})

    def test_records(self):
        changes = f"{self.ZONES}/z/changes"
        for change, reason in [(self.add("a.example.org."), "not in the zone"), (self.add(kind="AA"), "does not have this type"), (self.add(data="::1"), "not an address of that type"),
                               (self.add(kind="CNAME", data="b"), "final dot"), (self.add("example.com.", "CNAME", "b.example.com."), "CNAME"),
                               (self.add(weight=3), "Unknown name")]:
            self.refused(400, reason, "POST", changes, change)
        self.conditions(operation_seconds=5)
        made = self.works("POST", changes, self.add())
        self.assertEqual(made["status"], "pending")
        self.time += 6
        self.assertEqual(self.works("GET", f"{changes}/{made['id']}")["status"], "done")
        self.refused(409, "alreadyExists", "POST", changes, self.add())
        self.refused(400, "CNAME", "POST", changes, self.add(kind="CNAME", data="b.example.com."))
        self.refused(404, "does not exist", "POST", changes, {"deletions": self.add(data="192.0.2.2")["additions"]})
        self.refused(400, "containerNotEmpty", "DELETE", f"{self.ZONES}/z")
        self.works("POST", changes, {"deletions": self.add()["additions"]})
        self.works("DELETE", f"{self.ZONES}/z")


if __name__ == "__main__":
    program = sys.argv.pop(1)
    with tempfile.TemporaryDirectory() as prefix:
        test_examples.SLIPWAY = installed(program, pathlib.Path(prefix) / "prefix")
        unittest.main(verbosity=0)
