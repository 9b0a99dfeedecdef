"""For the stand-in's own tests: a cloud in a temporary folder whose clock only moves when a test says so."""
import json, pathlib, sys, tempfile, unittest

sys.dont_write_bytecode = True  # keep the source tree clean
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from cloud import MACHINE_TOKEN, OPERATOR_TOKEN, Cloud, Request

ZONE = "projects/p/zones/us-central1-a"
REGION = "projects/p/regions/us-central1"
TEMPLATE = "projects/p/global/instanceTemplates/t"
BOOT = {"boot": True, "autoDelete": True, "initializeParams": {"sourceImage": "projects/debian-cloud/global/images/family/debian-12"}}


class CloudTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder, self.time = pathlib.Path(folder.name), 1_800_000_000.0
        self.cloud = Cloud(self.folder, clock=lambda: self.time)

    def conditions(self, **conditions):
        (self.folder / "conditions.json").write_text(json.dumps(conditions))

    def send(self, verb, url, body=None, token=OPERATOR_TOKEN, **query):
        """(status, body) of a request: "projects/…" is Compute's, other URLs begin with their host."""
        host, path = ("compute.googleapis.com", "compute/v1/" + url) if url.startswith("projects/") else url.split("/", 1)
        data = b"" if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        answer = self.cloud.handle(Request(verb, host, "/" + path, query, data, {"Authorization": f"Bearer {token}"}))
        return answer.status, answer.body

    def works(self, *words, **query):
        status, body = self.send(*words, **query)
        self.assertEqual(status, 200, body)
        return body

    def refused(self, status, reason, *words, **query):
        """A request that is refused with this status, and a reason or a part of the message."""
        got, body = self.send(*words, **query)
        self.assertEqual(got, status, body)
        error = body["error"]
        self.assertTrue(reason in [row["reason"] for row in error.get("errors", [])] or reason in error["message"], error)
        return error

    def done(self, operation):
        """An operation as it is now."""
        return self.works("GET", operation["selfLink"].split("/v1/")[1])

    def network(self):
        self.works("POST", "projects/p/global/networks", {"name": "n", "autoCreateSubnetworks": False})
        self.works("POST", f"{REGION}/subnetworks", {"name": "s", "network": "projects/p/global/networks/n", "ipCidrRange": "10.0.0.0/16"})

    def properties(self, **more):
        return {"machineType": "n2-standard-4", "disks": [BOOT], "networkInterfaces": [{"subnetwork": f"{REGION}/subnetworks/s"}], **more}

    def template(self, name="t", **more):
        self.works("POST", "projects/p/global/instanceTemplates", {"name": name, "properties": self.properties(**more)})

    def bulk(self, *names, **more):
        return {"count": str(len(names)), "perInstanceProperties": {name: {} for name in names}, "sourceInstanceTemplate": TEMPLATE, **more}

    def machines(self):
        return sorted(one["name"] for path, one in self.cloud.under("compute", "projects/") if "/instances/" in path)

    def token_of(self, name):
        return f"{MACHINE_TOKEN}{ZONE}/instances/{name}"
