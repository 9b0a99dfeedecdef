#!/usr/bin/env python3
"""Requests in the shape that Google's Terraform provider sends them, over HTTP to serve.py.

The shapes are those of terraform-provider-google 7, google/services/…: each create is followed by its operation and a read, with
`alt=json` (transport.SendRequest) or `alt=json&prettyPrint=false` (the Go clients). Regions and zones are written as
projects/P/global/regions/R, although no resource has that path.
"""
import base64, hashlib, json, pathlib, tempfile, unittest, urllib.error, urllib.parse, urllib.request

from testing import ZONE  # keeps the source tree clean, too
from serve import ByPath, start

REGION = "projects/p/regions/us-central1"
NETWORK = "projects/p/global/networks/n"
MULTIPART = "multipart/related; boundary=b"


class Shapes(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        server, variables = start(pathlib.Path(folder.name))
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        ByPath.cloud.instances.waiting = False
        (pathlib.Path(folder.name) / "conditions.json").write_text('{"operation_seconds": 0.02}')  # so that they are waited for
        self.token = variables.pop("GOOGLE_OAUTH_ACCESS_TOKEN")
        self.base = {name.removeprefix("GOOGLE_").removesuffix("_CUSTOM_ENDPOINT"): place for name, place in variables.items()}

    def send(self, verb, url, body=None, kind="application/json"):
        data = body if isinstance(body, bytes) else json.dumps(body).encode() if body is not None else None
        request = urllib.request.Request(url, data, {"Authorization": f"Bearer {self.token}", "Content-Type": kind}, method=verb)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                text = answer.read()
        except urllib.error.HTTPError as error:
            self.fail(f"{verb} {url}: {error.code} {error.read().decode()}")
        return json.loads(text) if text else None

    def call(self, verb, service, path, body=None, **query):
        return self.send(verb, f"{self.base[service]}{path}?{urllib.parse.urlencode({'alt': 'json', **query})}", body)

    def compute(self, verb, path, body=None, **query):
        """Waits as ComputeOperationWaiter does: by the operation's name, zone and region."""
        operation = self.call(verb, "COMPUTE", path, body, **query)
        while operation.get("status", "DONE") != "DONE":
            place = next((f"{key}s/{operation[key].rsplit('/', 1)[1]}" for key in ("zone", "region") if operation.get(key)), "global")
            operation = self.call("GET", "COMPUTE", f"projects/p/{place}/operations/{operation['name']}")
        self.assertNotIn("error", operation)
        return operation

    def made(self, collection, body):
        self.compute("POST", collection, body)
        return self.call("GET", "COMPUTE", f"{collection}/{body['name']}")

    def network(self):
        self.made("projects/p/global/networks", {
            "autoCreateSubnetworks": False, "mtu": 8896, "name": "n", "routingConfig": {"routingMode": "GLOBAL"},
            "networkFirewallPolicyEnforcementOrder": "AFTER_CLASSIC_FIREWALL"})
        return self.made(f"{REGION}/subnetworks", {
            "ipCidrRange": "10.0.0.0/16", "logConfig": {"enable": False}, "name": "s", "network": NETWORK, "privateIpGoogleAccess": True,
            "region": "projects/p/global/regions/us-central1"})

    def test_a_network_with_its_router_firewall_and_addresses(self):
        self.network()
        self.made("projects/p/global/firewalls", {
            "allowed": [{"IPProtocol": "tcp", "ports": ["22"]}], "direction": "INGRESS", "logConfig": {"enable": False}, "name": "f",
            "network": NETWORK, "priority": 1000, "sourceRanges": ["35.235.240.0/20"]})
        self.made(f"{REGION}/addresses", {
            "address": "10.0.0.9", "addressType": "INTERNAL", "name": "a", "region": "projects/p/global/regions/us-central1",
            "subnetwork": f"{REGION}/subnetworks/s"})
        found = self.call("GET", "COMPUTE", f"{REGION}/addresses/a")
        self.compute("POST", f"{REGION}/addresses/a/setLabels", {"labelFingerprint": found["labelFingerprint"], "labels": {"a": "b"}})
        self.made(f"{REGION}/addresses", {"addressType": "EXTERNAL", "name": "nat", "networkTier": "PREMIUM",
                                          "region": "projects/p/global/regions/us-central1"})
        self.made(f"{REGION}/routers", {"name": "r", "network": NETWORK, "region": "projects/p/global/regions/us-central1"})
        self.compute("PATCH", f"{REGION}/routers/r", {"nats": [{
            "enableDynamicPortAllocation": False, "enableEndpointIndependentMapping": False, "icmpIdleTimeoutSec": 30,
            "logConfig": {"enable": True, "filter": "ERRORS_ONLY"}, "name": "nat", "natIpAllocateOption": "MANUAL_ONLY",
            "natIps": [f"{REGION}/addresses/nat"], "sourceSubnetworkIpRangesToNat": "ALL_SUBNETWORKS_ALL_IP_RANGES",
            "tcpEstablishedIdleTimeoutSec": 1200, "tcpTimeWaitTimeoutSec": 120, "tcpTransitoryIdleTimeoutSec": 30,
            "type": "PUBLIC", "udpIdleTimeoutSec": 30}]})
        self.compute("PATCH", f"{REGION}/routers/r", {"nats": []})
        for path in (f"{REGION}/routers/r", f"{REGION}/addresses/nat", f"{REGION}/addresses/a", "projects/p/global/firewalls/f",
                     f"{REGION}/subnetworks/s", NETWORK):
            self.compute("DELETE", path)

    def template(self):
        image = self.call("GET", "COMPUTE", "projects/debian-cloud/global/images/family/debian-12", prettyPrint="false")
        return {"name": "t", "properties": {
            "advancedMachineFeatures": {"threadsPerCore": "1"}, "canIpForward": False, "labels": {"a": "b"}, "machineType": "n2-standard-4",
            "disks": [{"autoDelete": True, "boot": True, "mode": "READ_WRITE", "type": "PERSISTENT", "initializeParams": {
                "diskSizeGb": "50", "diskType": "pd-ssd", "labels": {"a": "b"}, "sourceImage": image["selfLink"]}}],
            "metadata": {"items": [{"key": "enable-oslogin", "value": "TRUE"}]},
            "networkInterfaces": [{"network": NETWORK, "nicType": "GVNIC", "subnetwork": f"{REGION}/subnetworks/s"}],
            "scheduling": {"automaticRestart": True, "onHostMaintenance": "MIGRATE", "preemptible": False, "provisioningModel": "STANDARD"},
            "serviceAccounts": [{"email": "nodes-a@p.iam.gserviceaccount.com", "scopes": ["https://www.googleapis.com/auth/cloud-platform"]}],
            "shieldedInstanceConfig": {"enableIntegrityMonitoring": True, "enableSecureBoot": False, "enableVtpm": True},
            "tags": {"items": ["slurm"]}}}

    def account(self):
        self.call("POST", "IAM", "projects/p/serviceAccounts", {"accountId": "nodes-a", "serviceAccount": {"displayName": "x"}}, prettyPrint="false")
        return self.call("GET", "IAM", "projects/p/serviceAccounts/nodes-a@p.iam.gserviceaccount.com")

    def test_a_machine_from_a_template_with_labels_and_metadata_changed_by_fingerprint(self):
        self.network()
        self.account()
        self.made("projects/p/global/instanceTemplates", self.template())
        self.call("GET", "COMPUTE", ZONE)
        self.call("GET", "COMPUTE", f"{ZONE}/machineTypes/n2-standard-4")
        self.compute("POST", f"{ZONE}/instances", {
            "labels": {"a": "b", "goog-terraform-provisioned": "true"}, "name": "m",
            "metadata": {"items": [{"key": "one", "value": "1"}]}, "params": {},
            "networkInterfaces": [{"network": NETWORK, "subnetwork": f"{REGION}/subnetworks/s"}]},
            sourceInstanceTemplate="projects/p/global/instanceTemplates/t")
        found = self.call("GET", "COMPUTE", f"{ZONE}/instances/m")
        disk = found["disks"][0]["source"].rsplit("/", 1)[1]
        self.call("GET", "COMPUTE", f"{ZONE}/disks/{disk}")
        self.compute("POST", f"{ZONE}/instances/m/setMetadata", {
            "fingerprint": found["metadata"]["fingerprint"], "items": [{"key": "one", "value": "2"}]})
        self.compute("POST", f"{ZONE}/instances/m/setLabels", {"labelFingerprint": found["labelFingerprint"], "labels": {"a": "c"}})
        self.compute("POST", f"{ZONE}/instances/m/setTags", {"fingerprint": found["tags"]["fingerprint"], "items": ["other"]})
        # allow_stopping_for_update
        self.compute("POST", f"{ZONE}/instances/m/stop", prettyPrint="false")
        self.compute("POST", f"{ZONE}/instances/m/setMachineType", {"machineType": "zones/us-central1-a/machineTypes/n2-standard-8"})
        self.compute("POST", f"{ZONE}/instances/m/setServiceAccount", {
            "email": "nodes-a@p.iam.gserviceaccount.com", "scopes": ["https://www.googleapis.com/auth/compute"]})
        self.compute("POST", f"{ZONE}/instances/m/start", prettyPrint="false")
        found = self.call("GET", "COMPUTE", f"{ZONE}/instances/m")
        self.assertTrue(found["machineType"].endswith("n2-standard-8"), found["machineType"])
        self.compute("POST", f"{ZONE}/instances/m/setScheduling", {"automaticRestart": False, "onHostMaintenance": "MIGRATE"})
        self.compute("POST", f"{ZONE}/instances/m/setDeletionProtection", deletionProtection="false")
        self.made(f"{ZONE}/disks", {"name": "e", "sizeGb": "10", "type": f"{ZONE}/diskTypes/pd-ssd"})
        self.compute("POST", f"{ZONE}/instances/m/attachDisk", {
            "deviceName": "e", "mode": "READ_WRITE", "source": f"{ZONE}/disks/e", "type": "PERSISTENT"})
        self.compute("POST", f"{ZONE}/instances/m/detachDisk", deviceName="e")
        self.compute("DELETE", f"{ZONE}/disks/e")
        self.compute("DELETE", f"{ZONE}/instances/m")

    def test_a_disk_and_a_placement_policy(self):
        self.made(f"{ZONE}/disks", {"labels": {"a": "b"}, "name": "d", "physicalBlockSizeBytes": "4096", "sizeGb": 50,
                                    "type": f"{ZONE}/diskTypes/pd-ssd", "zone": "projects/p/global/zones/us-central1-a"})
        self.compute("POST", f"{ZONE}/disks/d/resize", {"sizeGb": "60"})
        self.made(f"{REGION}/resourcePolicies", {"groupPlacementPolicy": {"collocation": "COLLOCATED"}, "name": "p",
                                                 "region": "us-central1"})
        self.compute("DELETE", f"{REGION}/resourcePolicies/p")
        self.compute("DELETE", f"{ZONE}/disks/d")

    def test_a_bucket_its_policy_and_an_object_written_twice(self):
        self.call("POST", "STORAGE", "b", {
            "iamConfiguration": {"uniformBucketLevelAccess": {"enabled": True}}, "labels": {"a": "b"}, "lifecycle": {"rule": []},
            "location": "US-CENTRAL1", "name": "bucket", "storageClass": "STANDARD"}, project="p", prettyPrint="false")
        policy = self.call("GET", "STORAGE", "b/bucket/iam", optionsRequestedPolicyVersion="3")
        self.account()
        policy["bindings"] = [{"members": ["serviceAccount:nodes-a@p.iam.gserviceaccount.com"], "role": "roles/storage.objectViewer"}]
        self.call("PUT", "STORAGE", "b/bucket/iam", policy)
        for text in (b"one", b"two"):
            found = self.upload("a/b.yaml", text)
            self.assertEqual(base64.b64decode(found["md5Hash"]).hex(), hashlib.md5(text).hexdigest())
        self.assertEqual([row["name"] for row in self.call("GET", "STORAGE", "b/bucket/o", versions="true")["items"]], ["a/b.yaml"])
        self.call("PATCH", "STORAGE", "b/bucket", {"labels": {"a": "c"}, "versioning": {"enabled": False}}, prettyPrint="false")
        # force_destroy deletes each version.
        [row] = self.call("GET", "STORAGE", "b/bucket/o", versions="true", prettyPrint="false")["items"]
        self.call("DELETE", "STORAGE", "b/bucket/o/a%2Fb.yaml", generation=row["generation"], prettyPrint="false")
        self.call("DELETE", "STORAGE", "b/bucket", prettyPrint="false")

    def upload(self, name, text):
        """ResolveRelative of the Go client puts /upload/ before the endpoint's whole path."""
        host, path = self.base["STORAGE"].split("/", 3)[2:]
        body = (b'--b\r\nContent-Type: application/json\r\n\r\n' + json.dumps({"bucket": "bucket", "name": name, "contentType": "text/plain"}).encode()
                + b'\r\n--b\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n' + text + b'\r\n--b--\r\n')
        for place in (f"upload/{path}", "upload/storage/v1/"):  # of newer and of older clients
            self.send("POST", f"http://{host}/{place}b/bucket/o?alt=json&name={urllib.parse.quote(name, '')}&prettyPrint=false&uploadType=multipart",
                      body, MULTIPART)
        return self.call("GET", "STORAGE", "b/bucket/o/" + urllib.parse.quote(name, ""), prettyPrint="false")

    def test_a_secret_whose_version_is_enabled_read_and_destroyed(self):
        self.call("POST", "SECRET_MANAGER", "projects/p/secrets", {"labels": {"a": "b"}, "replication": {"automatic": {}}}, secretId="s")
        self.call("GET", "SECRET_MANAGER", "projects/p/secrets/s")
        data = base64.b64encode(b"hush").decode()
        name = self.call("POST", "SECRET_MANAGER", "projects/p/secrets/s:addVersion", {"payload": {"data": data}})["name"]
        self.call("POST", "SECRET_MANAGER", f"{name}:enable")
        self.assertEqual(self.call("GET", "SECRET_MANAGER", name)["state"], "ENABLED")
        self.assertEqual(self.call("GET", "SECRET_MANAGER", f"{name}:access")["payload"]["data"], data)
        self.call("PATCH", "SECRET_MANAGER", "projects/p/secrets/s", {"labels": {"a": "c"}}, updateMask="labels")
        self.call("POST", "SECRET_MANAGER", f"{name}:destroy")
        self.assertEqual(self.call("GET", "SECRET_MANAGER", name)["state"], "DESTROYED")
        self.account()
        policy = self.call("GET", "SECRET_MANAGER", "projects/p/secrets/s:getIamPolicy")
        policy["bindings"] = [{"members": ["serviceAccount:nodes-a@p.iam.gserviceaccount.com"], "role": "roles/secretmanager.secretAccessor"}]
        self.call("POST", "SECRET_MANAGER", "projects/p/secrets/s:setIamPolicy", {"policy": policy})
        self.call("DELETE", "SECRET_MANAGER", "projects/p/secrets/s")

    def test_rights_in_a_project_and_its_services(self):
        account = self.account()
        project = self.call("GET", "RESOURCE_MANAGER", "projects/p", prettyPrint="false")
        self.assertEqual(project["lifecycleState"], "ACTIVE")
        policy = self.call("POST", "RESOURCE_MANAGER", "projects/p:getIamPolicy", {"options": {"requestedPolicyVersion": 3}})
        policy["bindings"] = [*policy.get("bindings", []), {"members": [f"serviceAccount:{account['email']}"], "role": "roles/logging.logWriter"}]
        policy["version"] = 3
        self.call("POST", "RESOURCE_MANAGER", "projects/p:setIamPolicy", {"policy": policy, "updateMask": "bindings,etag,auditConfigs"})
        place = f"projects/p/serviceAccounts/{account['email']}"
        policy = self.call("POST", "IAM", f"{place}:getIamPolicy", **{"options.requestedPolicyVersion": "3", "prettyPrint": "false"})
        policy["bindings"] = [{"members": [f"serviceAccount:{account['email']}"], "role": "roles/iam.serviceAccountUser"}]
        self.call("POST", "IAM", f"{place}:setIamPolicy", {"policy": policy, "updateMask": "bindings,etag,auditConfigs"}, prettyPrint="false")
        self.call("PATCH", "IAM", place, {"serviceAccount": {"displayName": "y", "etag": account["etag"]}, "updateMask": "display_name"})
        listed = {"fields": "services/name,nextPageToken", "filter": "state:ENABLED", "pageSize": "200"}
        self.call("GET", "SERVICE_USAGE", "projects/p/services", **listed)
        operation = self.call("POST", "SERVICE_USAGE", "projects/p/services:batchEnable", {"serviceIds": ["file.googleapis.com"]})
        while not operation.get("done"):
            operation = self.call("GET", "SERVICE_USAGE", operation["name"])
        names = [row["name"] for row in self.call("GET", "SERVICE_USAGE", "projects/p/services", **listed)["services"]]
        self.assertTrue(any(name.endswith("/services/file.googleapis.com") for name in names), names)
        self.call("DELETE", "IAM", "projects/p/serviceAccounts/" + account["email"])

    def long(self, service, verb, path, body=None, **query):
        operation = self.call(verb, service, path, body, **query)
        while not operation.get("done"):
            operation = self.call("GET", service, operation["name"])
        self.assertNotIn("error", operation)

    def test_file_systems_and_private_services_access(self):
        self.network()
        place = "projects/p/locations/us-central1-a/instances"
        self.long("FILESTORE", "POST", place, {
            "fileShares": [{"capacityGb": 2560, "name": "nfsshare"}], "labels": {"a": "b"}, "tier": "BASIC_SSD",
            "networks": [{"connectMode": "DIRECT_PEERING", "modes": ["MODE_IPV4"], "network": NETWORK}]}, instanceId="f")
        found = self.call("GET", "FILESTORE", f"{place}/f")
        self.assertTrue(found["networks"][0]["ipAddresses"])
        self.long("FILESTORE", "PATCH", f"{place}/f", {"labels": {"a": "c"}}, updateMask="labels")
        self.made("projects/p/global/addresses", {"addressType": "INTERNAL", "name": "range", "network": NETWORK, "prefixLength": 20,
                                                  "purpose": "VPC_PEERING"})
        project = self.call("GET", "RESOURCE_MANAGER", "projects/p")
        peer = f"projects/{project['projectNumber']}/global/networks/n"
        self.long("SERVICE_NETWORKING", "POST", "services/servicenetworking.googleapis.com/connections",
                  {"network": peer, "reservedPeeringRanges": ["range"]})
        self.assertTrue(self.call("GET", "SERVICE_NETWORKING", "services/servicenetworking.googleapis.com/connections", network=peer)["connections"])
        lustre = "projects/p/locations/us-central1-a/instances"
        self.long("LUSTRE", "POST", lustre, {"capacityGib": "18000", "filesystem": "lfs", "labels": {"a": "b"}, "network": NETWORK,
                                             "perUnitStorageThroughput": "1000"}, instanceId="l")
        self.assertTrue(self.call("GET", "LUSTRE", f"{lustre}/l")["mountPoint"])
        self.long("LUSTRE", "DELETE", f"{lustre}/l")
        self.long("FILESTORE", "DELETE", f"{place}/f")


if __name__ == "__main__":
    unittest.main()
