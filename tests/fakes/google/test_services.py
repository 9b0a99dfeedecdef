#!/usr/bin/env python3
"""Tests of the stand-in of the other services: rights, storage, secrets, file systems, and of deploying."""
import base64, json, pathlib, tempfile, unittest

from testing import REGION, ZONE, CloudTest
from deploy import Deployment
from provider import Failed

ACCOUNT = "machine@p.iam.gserviceaccount.com"
SECRETS = "secretmanager.googleapis.com/v1/projects/p/secrets"


class Rights(CloudTest):
    def setUp(self):
        super().setUp()
        self.network()
        self.works("POST", "iam.googleapis.com/v1/projects/p/serviceAccounts", {"accountId": "machine"})
        self.template(serviceAccounts=[{"email": ACCOUNT, "scopes": ["https://www.googleapis.com/auth/cloud-platform"]}])
        self.works("POST", f"{ZONE}/instances/bulkInsert", self.bulk("controller"))

    def bind(self, role, url="cloudresourcemanager.googleapis.com/v1/projects/p"):
        policy = self.works("POST", f"{url}:getIamPolicy", {})
        policy["bindings"].append({"role": role, "members": [f"serviceAccount:{ACCOUNT}"]})
        self.works("POST", f"{url}:setIamPolicy", {"policy": policy})

    def insert(self, status, reason=""):
        words = "POST", f"{ZONE}/instances/bulkInsert", self.bulk("a"), self.token_of("controller")
        return self.works(*words) if status == 200 else self.refused(status, reason, *words)

    def test_a_machine_needs_rights_and_to_act_as_the_account(self):
        self.insert(403, "Required 'compute.instances.create' permission")
        self.bind("roles/compute.instanceAdmin.v1")
        self.insert(403, "iam.serviceAccountUser role")
        self.bind("roles/iam.serviceAccountUser", f"iam.googleapis.com/v1/projects/p/serviceAccounts/{ACCOUNT}")
        self.insert(200)

    def test_a_new_binding_takes_a_while(self):
        self.conditions(propagation_seconds=60)
        self.time += 61
        self.bind("roles/compute.viewer")
        words = "GET", f"{ZONE}/instances", None, self.token_of("controller")
        self.refused(403, "forbidden", *words)
        self.time += 60
        self.works(*words)

    def test_a_new_account_is_not_known_at_once(self):
        self.conditions(propagation_seconds=60)
        with self.assertRaises(AssertionError):
            self.bind("roles/compute.viewer")

    def test_whoever_changed_a_policy_meanwhile_wins(self):
        old = json.loads(json.dumps(self.works("POST", "cloudresourcemanager.googleapis.com/v1/projects/p:getIamPolicy", {})))
        self.bind("roles/compute.viewer")
        self.refused(409, "aborted", "POST", "cloudresourcemanager.googleapis.com/v1/projects/p:setIamPolicy", {"policy": old})

    def test_scopes_limit_a_token(self):
        self.bind("roles/compute.instanceAdmin.v1")
        self.template("narrow", serviceAccounts=[{"email": ACCOUNT, "scopes": ["https://www.googleapis.com/auth/devstorage.read_only"]}])
        self.works("POST", f"{ZONE}/instances/bulkInsert", {**self.bulk("narrow"), "sourceInstanceTemplate": "projects/p/global/instanceTemplates/narrow"})
        self.refused(403, "ACCESS_TOKEN_SCOPE_INSUFFICIENT", "GET", f"{ZONE}/instances", None, self.token_of("narrow"))

    def test_a_role_that_is_taken_away_counts_no_more(self):
        self.bind("roles/compute.viewer")
        self.works("GET", f"{ZONE}/instances", None, self.token_of("controller"))
        self.works("POST", "cloudresourcemanager.googleapis.com/v1/projects/p:setIamPolicy", {"policy": {"bindings": []}})
        self.refused(403, "forbidden", "GET", f"{ZONE}/instances", None, self.token_of("controller"))


class Storage(CloudTest):
    URL = "storage.googleapis.com/storage/v1/b"

    def test_names_of_buckets_are_unique_in_the_world_and_full_ones_stay(self):
        self.works("POST", self.URL, {"name": "bucket", "location": "us-central1"}, project="p")
        self.refused(409, "conflict", "POST", self.URL, {"name": "bucket"}, project="other")
        self.works("POST", "storage.googleapis.com/upload/storage/v1/b/bucket/o", b"text", uploadType="media", name="a/b")
        self.refused(409, "not empty", "DELETE", f"{self.URL}/bucket")
        self.assertEqual(self.works("GET", f"{self.URL}/bucket/o/a%2Fb", alt="media"), b"text")
        self.works("DELETE", f"{self.URL}/bucket/o/a%2Fb")
        self.assertEqual(self.works("DELETE", f"{self.URL}/bucket"), b"")


class Secrets(CloudTest):
    def test_a_secret_has_versions_and_one_name(self):
        self.works("POST", SECRETS, {"replication": {"automatic": {}}}, secretId="key")
        self.refused(409, "already exists", "POST", SECRETS, {"replication": {"automatic": {}}}, secretId="key")
        self.refused(404, "not found", "GET", f"{SECRETS}/key/versions/1:access")
        self.works("POST", f"{SECRETS}/key:addVersion", {"payload": {"data": base64.b64encode(b"x").decode()}})
        self.assertEqual(base64.b64decode(self.works("GET", f"{SECRETS}/key/versions/latest:access")["payload"]["data"]), b"x")


class FileSystems(CloudTest):
    def test_sizes_and_networks_are_checked(self):
        self.network()
        url = "file.googleapis.com/v1/projects/p/locations/us-central1-a/instances"
        body = {"tier": "BASIC_SSD", "fileShares": [{"name": "share", "capacityGb": "1024"}], "networks": [{"network": "n", "modes": ["MODE_IPV4"]}]}
        self.refused(400, "between 2560 and", "POST", url, body, instanceId="f")
        body["fileShares"][0]["capacityGb"] = "2560"
        self.works("POST", url, body, instanceId="f")
        self.works("DELETE", f"{REGION}/subnetworks/s")
        self.refused(400, "resourceInUseByAnotherResource", "DELETE", "projects/p/global/networks/n")

    def test_lustre_needs_private_services_access(self):
        self.network()
        self.refused(400, "private services access", "POST", "lustre.googleapis.com/v1/projects/p/locations/us-central1-a/instances",
                     {"filesystem": "lfs", "capacityGib": "9000", "network": "projects/p/global/networks/n"}, instanceId="l")


class Deploying(CloudTest):
    """deploy.py's part of Terraform, with the stand-in of the test."""

    def deploy(self, resources):
        created = pathlib.Path(tempfile.mkdtemp(dir=self.folder)) / "group"
        created.mkdir()
        (created / "main.tf.json").write_text(json.dumps({"resource": resources}))
        deployment = Deployment(self.folder, created.parent, self)
        self.send_as_terraform = True
        deployment.apply_all()
        deployment.finish()
        return deployment

    def send(self, verb, url, body=None, *words, **query):
        status, answer = super().send(verb, url.removeprefix("compute.googleapis.com/compute/v1/"), body, *words, **query)
        if not getattr(self, "send_as_terraform", False):
            return status, answer
        if status >= 300:
            raise Failed(f"{status} {answer['error']['message']}")
        return answer

    NETWORK = {"google_compute_network": {"net": {"name": "n", "project": "p", "auto_create_subnetworks": False}},
               "google_compute_subnetwork": {"sub": {"name": "s", "project": "p", "region": "us-central1", "ip_cidr_range": "10.0.0.0/20",
                                                     "network": "${google_compute_network.net.id}"}}}

    def test_two_resources_of_one_name_end_the_deployment(self):
        sub = self.NETWORK["google_compute_subnetwork"]["sub"]
        with self.assertRaisesRegex(Failed, "409"):
            self.deploy({**self.NETWORK, "google_compute_subnetwork": {"sub": sub, "twin": {**sub, "ip_cidr_range": "10.0.16.0/20"}}})

    def test_a_changed_name_replaces_a_resource_and_a_destroy_leaves_nothing(self):
        from control import left
        self.deploy(self.NETWORK)
        changed = json.loads(json.dumps(self.NETWORK))
        changed["google_compute_subnetwork"]["sub"]["name"] = "other"
        self.deploy(changed)
        self.assertEqual([key for key in left(self.cloud) if "subnetworks" in key], [f"compute/{REGION}/subnetworks/other"])
        Deployment(self.folder, None, self).destroy_all()
        self.assertEqual(left(self.cloud), [])

    def test_a_machine_that_is_still_there_keeps_its_subnetwork(self):
        self.deploy(self.NETWORK)
        self.send("POST", f"{ZONE}/instances", {"name": "a", **self.properties(machineType=f"{ZONE}/machineTypes/n2-standard-4")})
        with self.assertRaisesRegex(Failed, "already being used"):
            Deployment(self.folder, None, self).destroy_all()

    def test_two_bindings_of_one_member_are_one(self):
        """Taking one away takes the right away from the other, as in the cloud."""
        account = {"google_service_account": {"machine": {"account_id": "machine", "project": "p"}}}
        row = {"project": "p", "role": "roles/compute.viewer", "member": "${google_service_account.machine.member}"}
        self.deploy({**account, "google_project_iam_member": {"a": row, "b": row}})
        self.deploy({**account, "google_project_iam_member": {"a": row}})
        self.assertEqual(self.cloud.policy("projects/p")["bindings"], [])


if __name__ == "__main__":
    unittest.main()
