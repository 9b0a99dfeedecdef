#!/usr/bin/env python3
"""Tests of what goes with the stand-in: the recorder, replay.py, serve.py, expressions.py."""
import json, pathlib, tempfile, unittest, urllib.error, urllib.request

from testing import ZONE, CloudTest
from cloud import Cloud
from expressions import Evaluator
from replay import differences
from serve import start

URL = "https://compute.googleapis.com/compute/v1/projects/p"


class Traffic(CloudTest):
    def test_requests_are_recorded_without_the_values_of_secrets(self):
        (self.folder / "record").touch()
        self.works("POST", "secretmanager.googleapis.com/v1/projects/p/secrets", {"replication": {"automatic": {}}}, secretId="key")
        self.works("POST", "secretmanager.googleapis.com/v1/projects/p/secrets/key:addVersion", {"payload": {"data": "c2VjcmV0"}})
        text = (self.folder / "traffic.jsonl").read_text()
        self.assertNotIn("c2VjcmV0", text)
        self.assertEqual([json.loads(line)["status"] for line in text.splitlines()], [200, 200])

    def replayed(self, *rows):
        cloud = Cloud(pathlib.Path(tempfile.mkdtemp(dir=self.folder)))
        return [text for row in rows for text in differences(cloud, {"request": None, "response": None, **row})]

    def test_its_own_traffic_is_no_difference(self):
        (self.folder / "record").touch()
        self.network()
        self.template()
        self.works("POST", f"{ZONE}/instances/bulkInsert", self.bulk("a", "b"))
        self.works("GET", f"{ZONE}/instances")
        self.send("DELETE", "projects/p/global/networks/n")
        rows = [json.loads(line) for line in (self.folder / "traffic.jsonl").read_text().splitlines()]
        self.assertEqual(self.replayed(*rows), [])

    def test_a_refusal_of_the_cloud_that_is_not_known_here_is_a_difference(self):
        row = {"method": "POST", "url": f"{URL}/global/networks", "request": {"name": "n"}, "status": 403,
               "response": {"error": {"code": 403, "errors": [{"reason": "quotaExceeded"}]}}}
        self.assertEqual(self.replayed(row), ["the cloud answered 403 quotaExceeded, the stand-in 200"])

    def test_an_answer_with_a_new_field_is_a_difference(self):
        row = {"method": "GET", "url": f"{URL}/zones/us-central1-a/instances/a", "status": 200, "response": {"name": "a", "color": "red"}}
        self.assertIn('Unknown name "color"', self.replayed(row)[0])


class Serving(unittest.TestCase):
    def test_the_provider_finds_each_service_at_its_endpoint(self):
        with tempfile.TemporaryDirectory() as folder:
            server, variables = start(pathlib.Path(folder))
            self.addCleanup(server.server_close)
            self.addCleanup(server.shutdown)

            def send(name, path, body=None):
                request = urllib.request.Request(variables[f"GOOGLE_{name}_CUSTOM_ENDPOINT"] + path, json.dumps(body).encode() if body else None,
                                                 {"Authorization": f"Bearer {variables['GOOGLE_OAUTH_ACCESS_TOKEN']}"})
                with urllib.request.urlopen(request) as answer:
                    return json.loads(answer.read())
            self.assertEqual(send("COMPUTE", "projects/p/global/networks", {"name": "n"})["operationType"], "insert")
            self.assertEqual(send("COMPUTE", "projects/p/global/networks/n")["name"], "n")
            self.assertEqual(send("IAM", "projects/p/serviceAccounts", {"accountId": "machine"})["email"], "machine@p.iam.gserviceaccount.com")
            with self.assertRaises(urllib.error.HTTPError) as refused:
                send("STORAGE", "b/bucket")
            self.assertEqual(refused.exception.code, 404)


class Expressions(unittest.TestCase):
    def test_values(self):
        evaluator = Evaluator(lambda words: ({"id": "projects/p/global/networks/n", "list": ["a"]}, 2))
        for text, value in {"${google_x.y.list[0]}": "a", "a-${google_x.y.id}": "a-projects/p/global/networks/n", "$${kept}": "${kept}",
                            '${split("/", google_x.y.id)[1] == "p" ? "ours" : "theirs"}': "ours", '${jsonencode({ a = 1, "b/c" = ["<"] })}':
                            '{"a":1,"b/c":["\\u003c"]}', '${{for key, one in {a = 1, b = 2} : key => one if one > 1}}': {"b": 2},
                            '${md5("x")}': "9dd4e461268c8034f5c8564e155c67a6"}.items():
            self.assertEqual(evaluator.template(text), value, text)


class MachineTypes(unittest.TestCase):
    def test_the_table_has_what_the_catalogue_says(self):
        import machine_types
        self.assertEqual(machine_types.TABLE.read_text(), machine_types.written(), "run tests/fakes/google/machine_types.py")


if __name__ == "__main__":
    unittest.main()
