#!/usr/bin/env python3
"""Tests scripts/record.py: what it records of a command's requests, against the stand-in of Google's services, and that no secret is
in it, wherever the secret is."""
import http.client, json, os, pathlib, stat, sys, tempfile, threading, unittest, urllib.parse, urllib.request

sys.dont_write_bytecode = True  # keep the source tree clean
TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "scripts"), str(TOP / "tests/fakes/google")]
import record
from cloud import Cloud
from google_cloud import Handler, Server
from replay import differences

COMMAND = """
import json, os, sys, urllib.error, urllib.request
def send(name, path, body=None, **headers):
    data = body if isinstance(body, bytes) else json.dumps(body).encode() if body is not None else None
    request = urllib.request.Request(os.environ[f"GOOGLE_{name}_CUSTOM_ENDPOINT"] + path, data, {"Authorization": "Bearer ya29.of-the-operator", **headers})
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, json.loads(answer.read())
    except urllib.error.HTTPError as refused:
        return refused.code, None
"""
SECRETS = ["ya29.a0Af_not-for-anybody", "-----BEGIN PRIVATE KEY-----\nMIIE", "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl",
           "AIzaSyA1234567890abcdefghijklmnopqrstu", "GOCSPX-1234567890", "Bearer s3cr3t", "1//0gLongRefreshToken", "ssh-ed25519 AAAAC3Nza me",
           "PASSWORD=hunter2", "db_password: hunter2", "https://x/y?X-Goog-Signature=0123", "token: abcdef"]


class Upstream:
    """Plain HTTP to the stand-in, in place of TLS to the services."""

    def __init__(self, test):
        folder = tempfile.TemporaryDirectory()
        test.addCleanup(folder.cleanup)
        handler = type("Here", (Handler,), {"cloud": Cloud(folder.name)})
        self.server = Server(("127.0.0.1", 0), handler)
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()
        test.addCleanup(self.server.server_close)
        test.addCleanup(self.server.shutdown)

    def connect(self, host):
        connection = http.client.HTTPConnection("127.0.0.1", self.server.server_port)
        put = connection.putheader
        connection.putheader = lambda key, *values: put(key, *([host] if key == "Host" else values))
        return connection


class Recorded(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = pathlib.Path(folder.name) / "traffic.jsonl"
        record.Between.connect = staticmethod(Upstream(self).connect)

    def record(self, code, names=()):
        status, count = record.run(self.file, [sys.executable, "-c", COMMAND + code], names)
        rows = [json.loads(line) for line in self.file.read_text().splitlines()]
        self.assertEqual(len(rows), count)
        return status, rows

    def test_requests_reach_the_service_and_can_be_replayed(self):
        status, rows = self.record("""
assert send("COMPUTE", "projects/p/global/networks", {"name": "n", "autoCreateSubnetworks": False})[0] == 200
assert send("COMPUTE", "projects/p/global/networks/n")[1]["name"] == "n"
assert send("COMPUTE", "projects/p/global/networks/other")[0] == 404
assert send("STORAGE", "b?project=p", {"name": "bucket"})[0] == 200
sys.exit(7)""")
        self.assertEqual(status, 7)
        self.assertEqual([(row["method"], row["url"], row["status"]) for row in rows[:3]], [
            ("POST", "https://compute.googleapis.com/compute/v1/projects/p/global/networks", 200),
            ("GET", "https://compute.googleapis.com/compute/v1/projects/p/global/networks/n", 200),
            ("GET", "https://compute.googleapis.com/compute/v1/projects/p/global/networks/other", 404)])
        with tempfile.TemporaryDirectory() as folder:
            cloud = Cloud(folder)
            self.assertEqual([text for row in rows for text in differences(cloud, row)], [])

    def test_only_its_owner_can_read_it_and_nothing_is_overwritten(self):
        self.record("")
        self.assertEqual(stat.S_IMODE(self.file.stat().st_mode), 0o600)
        with self.assertRaises(FileExistsError):
            record.run(self.file, ["true"])

    def test_neither_tokens_nor_values_of_secrets_nor_contents_of_objects(self):
        _, rows = self.record("""
send("SECRET_MANAGER", "projects/p/secrets?secretId=key", {"replication": {"automatic": {}}})
send("SECRET_MANAGER", "projects/p/secrets/key:addVersion", {"payload": {"data": "bXVuZ2Uta2V5"}})
assert send("SECRET_MANAGER", "projects/p/secrets/key/versions/1:access")[1]["payload"]["data"] == "bXVuZ2Uta2V5"
send("STORAGE", "b?project=p", {"name": "bucket"})
address = os.environ["GOOGLE_STORAGE_CUSTOM_ENDPOINT"]
send("STORAGE", "b/bucket/o/x?alt=media")
os.environ["GOOGLE_UPLOAD_CUSTOM_ENDPOINT"] = address.replace("/storage.googleapis.com", "/upload/storage.googleapis.com")
send("UPLOAD", "b/bucket/o?uploadType=media&name=x", b'{"munge": "bXVuZ2Uta2V5"}')
""")
        text = self.file.read_text()
        for secret in ("bXVuZ2Uta2V5", "ya29", "Bearer"):
            self.assertNotIn(secret, text)
        self.assertEqual([row["request"] for row in rows if "/upload/" in row["url"]], [None])

    def test_another_host_is_not_asked(self):
        _, rows = self.record("""
base = os.environ["GOOGLE_COMPUTE_CUSTOM_ENDPOINT"].split("/compute.")[0]
for place in ("/169.254.169.254/", "/evil.example/", "/", "//"):
    os.environ["GOOGLE_X_CUSTOM_ENDPOINT"] = base + place
    assert send("X", "x")[0] == 404, place""")
        self.assertEqual(rows, [])

    def test_a_service_that_does_not_answer(self):
        def refuse(_):
            raise ConnectionRefusedError("no route")
        record.Between.connect = staticmethod(refuse)
        status, rows = self.record('assert send("IAM", "x")[0] == 502')
        self.assertEqual((status, rows[0]["status"]), (0, 502))

    def test_names_that_are_replaced(self):
        _, rows = self.record('send("COMPUTE", "projects/our-project/global/networks/n")', [("our-project", "project-1")])
        self.assertIn("/projects/project-1/", rows[0]["url"])
        self.assertNotIn("our-project", self.file.read_text())


class Secrets(unittest.TestCase):
    """A secret is hidden at every place of a body, an address or a name."""

    def shown(self, value, host="compute.googleapis.com", path="/compute/v1/x", query=""):
        return json.dumps(record.public_body(host, path, query, json.dumps(value).encode()))

    def test_texts_that_look_like_secrets(self):
        for secret in SECRETS:
            for value in (secret, [secret], {"a": {"b": [f"before {secret} after"]}}, {secret: 1}, {"description": f"x\n{secret}"}):
                shown = self.shown(value)
                for part in (secret, secret.split("=")[-1], json.dumps(secret)[1:-1]):
                    self.assertNotIn(part, shown, (secret, value))

    def test_values_of_keys_that_hold_secrets(self):
        for key in ("payload", "privateKeyData", "rawKey", "rsaEncryptedKey", "access_token", "refreshToken", "clientSecret", "client_secret",
                    "password", "rootPassword", "ssh-keys", "sshKeys", "apiKey", "credentials", "authorization", "signature", "secretValue"):
            for value in ("hunter2", ["hunter2"], {"x": "hunter2"}):
                self.assertNotIn("hunter2", self.shown({"a": [{key: value}]}), key)

    def test_metadata_but_not_what_slipway_itself_writes_there(self):
        shown = self.shown({"metadata": {"items": [{"key": "startup-script", "value": "echo hunter2"}, {"key": "slipway-role", "value": "login"},
                                                   {"key": "user-data", "value": "hunter2"}, {"key": "slipway-files-x", "value": "hunter2"}]}})
        self.assertNotIn("hunter2", shown)
        self.assertIn('"login"', shown)

    def test_the_serial_console(self):
        self.assertNotIn("hunter2", self.shown({"contents": "login: hunter2", "start": "0"}, path="/compute/v1/p/serialPort"))

    def test_parameters_of_addresses(self):
        for query in ("access_token=hunter2", "key=hunter2", "upload_id=hunter2", "X-Goog-Signature=hunter2", "x-goog-credential=hunter2",
                      "a=1&oauth_token=hunter2", "name=" + urllib.parse.quote("ya29.hunter2")):
            self.assertNotIn("hunter2", record.public_url("storage.googleapis.com", "/x", query), query)
        self.assertEqual(record.public_url("h", "/x", "filter=name%3Da&pageToken=n&fields="), "https://h/x?filter=name%3Da&pageToken=n&fields=")

    def test_people_but_not_service_accounts(self):
        shown = self.shown({"user": "jane.doe+x@corp.example.com", "members": ["user:joe@example.org", "serviceAccount:m@p.iam.gserviceaccount.com"]})
        self.assertEqual(json.loads(shown), {"user": "person@example.com",
                                             "members": ["user:person@example.com", "serviceAccount:m@p.iam.gserviceaccount.com"]})

    def test_bodies_that_are_no_json_or_too_deep_are_left_out(self):
        for body in (b"\xff\xfe", b"password=hunter2", b"[" * 100000, b"--b\r\nhunter2", b"{" * 3):
            self.assertIsNone(record.public_body("compute.googleapis.com", "/x", "", body))
        deep = ("[" * 900 + '"hunter2 password=hunter2"' + "]" * 900).encode()
        self.assertNotIn("hunter2", json.dumps(record.public_body("compute.googleapis.com", "/x", "", deep)))

    def test_what_is_no_secret_stays(self):
        value = {"name": "projects/p/secrets/key", "nextPageToken": "n", "tokens": None, "items": [{"id": "1", "status": "RUNNING"}],
                 "authentication": {"x": 1}}
        self.assertEqual(json.loads(self.shown(value)) | {"tokens": None}, value)


class Taken(unittest.TestCase):
    def test_a_machines_own_recording_is_taken_without_secrets(self):
        rows = [{"method": "POST", "url": "https://compute.googleapis.com/compute/v1/projects/mine/zones/z/instances?token=abc", "status": 200,
                 "request": {"metadata": {"items": [{"key": "startup-script", "value": "x"}]}, "password": "hunter2"},
                 "response": {"user": "me@example.org", "text": one}} for one in SECRETS]
        with tempfile.TemporaryDirectory() as name:
            source, file = pathlib.Path(name) / "raw", pathlib.Path(name) / "clean"
            source.write_text("".join(json.dumps(row) + "\n" for row in rows) + '{"method": "PO')
            self.assertEqual(record.take(file, source, [("mine", "project-1")]), len(rows))
            text = file.read_text()
            self.assertEqual(stat.S_IMODE(file.stat().st_mode), 0o600)
        for secret in [*(json.dumps(one)[1:-1] for one in SECRETS), "hunter2", '"value": "x"', "me@example.org", "abc", "mine"]:
            self.assertNotIn(secret, text)
        self.assertIn("https://compute.googleapis.com/compute/v1/projects/project-1/zones/z/instances", text)


if __name__ == "__main__":
    unittest.main()
