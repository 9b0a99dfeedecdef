#!/usr/bin/env python3
"""Deploys volumes of NetApp to the stand-in, and tests what that refuses: test_shares.py SLIPWAY"""
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
blueprint_name: shares
vars: {deployment_name: shares, project_id: my-project, region: us-central1, zone: us-central1-a}
deployment_groups:
- group: primary
  modules:
  - {id: network, source: modules/network/vpc}
  - {id: peering, source: modules/network/private-service-access, use: [network], settings: {service_name: netapp.servicenetworking.goog}}
  - {id: pool, source: modules/file-system/netapp-storage-pool, use: [network, peering], settings: {capacity_gib: 2048, allow_auto_tiering: true}}
  - id: data
    source: modules/file-system/netapp-volume
    use: [pool]
    settings:
      local_mount: /data
      capacity_gib: 2048
      protocols: [NFSV3, NFSV4]
      tiering_policy: {tier_action: ENABLED, cooling_threshold_days: 31}
      export_policy_rules: [{allowed_clients: 10.0.0.0/8, access_type: READ_WRITE, nfsv4: false}]
  - {id: machine, source: modules/compute/vm-instance, use: [network, data], settings: {machine_type: n2-standard-4}}
"""


class Deployed(unittest.TestCase):
    def example(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        blueprint = pathlib.Path(folder.name) / "shares.yaml"
        blueprint.write_text(BLUEPRINT)
        return test_examples.Example(blueprint, pathlib.Path(folder.name))

    def test_a_volume_is_made_mounted_and_removed(self):
        example = self.example()
        example.deploy()
        [(_, volume)] = example.cloud.under("netapp", "projects/my-project/locations/us-central1/volumes/")
        [rule] = volume["exportPolicy"]["rules"]
        self.assertEqual((rule["allowedClients"], rule["nfsv3"], rule["nfsv4"]), ("10.0.0.0/8", True, False))
        self.assertEqual(volume["tieringPolicy"]["coolingThresholdDays"], 31)
        # The machine's metadata has the address that the service gave.
        machines = [one for path, one in example.cloud.under("compute", "projects/my-project/zones/") if "/instances/" in path]
        self.assertEqual(len(machines), 1)
        self.assertIn(volume["mountOptions"][0]["ipAddress"], str(machines[0]["metadata"]))
        example.changes.clear()
        example.deploy()
        self.assertEqual(example.changes, [])
        example.destroy()
        self.assertEqual(left(example.cloud), [])

    def test_a_volume_larger_than_its_pool_ends_the_deployment(self):
        example = self.example()
        # As a person may edit it later; `slipway check` refuses such a blueprint.
        definition = example.created / "primary" / "data.tf.json"
        definition.write_text(definition.read_text().replace('"capacity_gib": 2048', '"capacity_gib": 2049'))
        with self.assertRaisesRegex(Failed, "2048 GiB left, not 2049"):
            example.deploy()


class Refused(CloudTest):
    PLACE = "netapp.googleapis.com/v1/projects/p/locations/us-central1"

    def pool(self, **more):
        return {"serviceLevel": "PREMIUM", "capacityGib": "2048", "network": "projects/p/global/networks/n", **more}

    def volume(self, **more):
        return {"storagePool": "pool", "capacityGib": "100", "shareName": "share", "protocols": ["NFSV3"], **more}

    def test_pools_and_volumes(self):
        self.network()
        self.refused(400, "no private services access", "POST", f"{self.PLACE}/storagePools", self.pool(), storagePoolId="pool")
        self.works("POST", "projects/p/global/addresses", {"name": "r", "purpose": "VPC_PEERING", "addressType": "INTERNAL", "prefixLength": 20,
                                                         "network": "projects/p/global/networks/n"})
        self.works("POST", "servicenetworking.googleapis.com/v1/services/netapp.servicenetworking.goog/connections",
                   {"network": "projects/p/global/networks/n", "reservedPeeringRanges": ["r"]})
        for wrong, reason in [({"serviceLevel": "FAST"}, "is not one of"), ({"capacityGib": "1024"}, "at least 2048"), ({"speed": 1}, "Unknown name"),
                              ({"network": "projects/p/global/networks/m"}, "does not exist")]:
            self.refused(400, reason, "POST", f"{self.PLACE}/storagePools", self.pool(**wrong), storagePoolId="pool")
        self.works("POST", f"{self.PLACE}/storagePools", self.pool(), storagePoolId="pool")
        self.refused(409, "already exists", "POST", f"{self.PLACE}/storagePools", self.pool(), storagePoolId="pool")
        for wrong, reason in [({"storagePool": "other"}, "does not exist"), ({"capacityGib": "99"}, "too small"), ({"protocols": ["AFP"]}, "protocols"),
                              ({"tieringPolicy": {"tierAction": "ENABLED"}}, "does not allow tiering"),
                              ({"exportPolicy": {"rules": [{"accessType": "ALL"}]}}, "is not one of")]:
            self.refused(400, reason, "POST", f"{self.PLACE}/volumes", self.volume(**wrong), volumeId="volume")
        self.works("POST", f"{self.PLACE}/volumes", self.volume(), volumeId="volume")
        self.refused(400, "has volumes", "DELETE", f"{self.PLACE}/storagePools/pool")
        self.works("DELETE", f"{self.PLACE}/volumes/volume")
        self.works("DELETE", f"{self.PLACE}/storagePools/pool")


if __name__ == "__main__":
    program = sys.argv.pop(1)
    with tempfile.TemporaryDirectory() as prefix:
        test_examples.SLIPWAY = installed(program, pathlib.Path(prefix) / "prefix")
        unittest.main(verbosity=0)
