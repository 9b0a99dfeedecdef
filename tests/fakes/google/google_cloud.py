#!/usr/bin/env python3
"""A fake of Google Cloud as seen from inside a machine: google_cloud.py FOLDER

It uses the real addresses, in a network namespace of the tests: the metadata server and DNS at 169.254.169.254; Cloud
Storage, Secret Manager and Compute Engine, with TLS, at 199.36.153.8 (private.googleapis.com). FOLDER has:

    instances/NAME.json   {"address", "profile", "metadata": the tree `instance`}; a machine exists as long as its file does
    buckets/BUCKET/…      objects
    secrets/PROJECT/NAME/ a secret; its versions are the files 1, 2, …
    templates/PROJECT/NAME.json   an instance template: the keys of instances/*.json
    trouble.json          {"METHOD PATH": [status, body]}: answers to give instead, by regular expression
    log                   all requests, one for each line
    server.key, server.crt
"""
import base64, http.server, json, os, pathlib, re, socket, socketserver, ssl, struct, sys, threading, time, urllib.parse

from compute import Compute

METADATA, API = "169.254.169.254", "199.36.153.8"
SERVICES = ("storage.googleapis.com", "secretmanager.googleapis.com", "compute.googleapis.com")
TOKEN = "ya29.of-the-machine"
FOLDER = pathlib.Path(sys.argv[1])
LOCK = threading.Lock()


def instances():
    found = {}
    for file in (FOLDER / "instances").glob("*.json"):
        try:
            found[file.stem] = json.loads(file.read_text())
        except FileNotFoundError:
            pass  # just deleted
    return found


def long_names():
    """Yields the names in the zonal DNS, with their addresses."""
    for name, instance in instances().items():
        _, project, _, zone = instance["metadata"]["zone"].split("/")
        yield f"{name}.{zone}.c.{instance['project']}.internal", instance["address"].split("/")[0]


class Answer(Exception):
    def __init__(self, status, body):
        self.status, self.body = status, body


def error(status, message, word="", reason=""):
    """An error in the format of Google's services."""
    said = {"code": status, "message": message, "status": word}
    if reason:
        said["errors"] = [{"message": message, "reason": reason}]
    return Answer(status, {"error": said})


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def handle_one(self):
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length)
        url = urllib.parse.urlsplit(self.path)
        query = dict(urllib.parse.parse_qsl(url.query))
        with LOCK, open(FOLDER / "log", "a") as log:
            log.write(f"{self.client_address[0]} {self.command} {self.headers['Host']}{self.path}\n")
        try:
            self.trouble()
            answer = self.answer(url.path, query, body)
        except Answer as thrown:
            return self.send(thrown.status, json.dumps(thrown.body).encode())
        self.send(200, answer if isinstance(answer, bytes) else json.dumps(answer).encode())

    do_GET = do_POST = do_DELETE = handle_one

    def trouble(self):
        file = FOLDER / "trouble.json"
        for pattern, (status, body) in (json.loads(file.read_text()) if file.exists() else {}).items():
            if re.fullmatch(pattern, f"{self.command} {self.headers['Host']}{self.path}"):
                raise Answer(status, body)

    def send(self, status, body):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Metadata-Flavor", "Google")
        self.end_headers()
        self.wfile.write(body)


class Metadata(Handler):
    def answer(self, path, query, body):
        if self.headers.get("Metadata-Flavor") != "Google":
            raise Answer(403, "the header Metadata-Flavor is missing")
        asking = self.client_address[0]
        for instance in instances().values():
            if instance["address"].split("/")[0] == asking:
                break
        else:
            raise Answer(404, "no machine has this address")
        if path == "/computeMetadata/v1/instance/service-accounts/default/token":
            return {"access_token": TOKEN, "expires_in": 3599, "token_type": "Bearer"}
        if path == "/computeMetadata/v1/instance/" and query.get("recursive") == "true":
            return instance["metadata"]
        raise Answer(404, "no such key")


class Services(Handler):
    def answer(self, path, query, body):
        if self.headers.get("Authorization") != f"Bearer {TOKEN}":
            raise error(401, "the token is not valid", "UNAUTHENTICATED")
        service = {"storage.googleapis.com": self.storage, "secretmanager.googleapis.com": self.secrets,
                   "compute.googleapis.com": self.compute}.get(self.headers["Host"])
        if service is None:
            raise Answer(404, "no such service")
        return service(path, query, json.loads(body) if body else None)

    def storage(self, path, query, _):
        found = re.fullmatch(r"/storage/v1/b/([^/]+)/o/([^/]+)", path)
        if not found or query.get("alt") != "media":
            raise error(400, "the fake supports only alt=media")
        file = FOLDER / "buckets" / found[1] / urllib.parse.unquote(found[2])
        if not file.is_file():
            raise error(404, f"No such object: {found[1]}/{urllib.parse.unquote(found[2])}")
        return file.read_bytes()

    def secrets(self, path, _, body):
        found = re.fullmatch(r"/v1/projects/([^/]+)/secrets/([^/:]+)(/versions/(\d+))?:(\w+)", path)
        if not found:
            raise error(400, "the fake supports only :access and :addVersion")
        secret = FOLDER / "secrets" / found[1] / found[2]
        if not secret.is_dir():
            raise error(404, f"Secret [{path}] not found", "NOT_FOUND")
        if found[5] == "addVersion":
            with LOCK:
                number = len(list(secret.iterdir())) + 1
                (secret / str(number)).write_bytes(base64.b64decode(body["payload"]["data"]))
            return {"name": f"projects/{found[1]}/secrets/{found[2]}/versions/{number}", "state": "ENABLED"}
        version = secret / found[4]
        if not version.exists():
            raise error(404, f"Secret Version [{path}] not found", "NOT_FOUND")
        return {"payload": {"data": base64.b64encode(version.read_bytes()).decode()}}

    def compute(self, path, query, body):
        return Compute(FOLDER, LOCK, error).answer(self.command, path, query, body)


def encoded(name):
    """Encodes a name for DNS."""
    return b"".join(bytes([len(label)]) + label.encode() for label in name.split(".")) + b"\0"


def name_server():
    """Answers queries for the address of a name, and the name of an address."""
    sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sock.bind((METADATA, 53))
    while True:
        question, who = sock.recvfrom(512)
        labels, at = [], 12
        while question[at]:
            labels.append(question[at + 1:at + 1 + question[at]].decode().lower())
            at += 1 + question[at]
        kind = struct.unpack(">H", question[at + 1:at + 3])[0]
        known = {name: (1, socket.inet_aton(address)) for name, address in [*long_names(), *((name, API) for name in SERVICES)]}
        for name, address in long_names():
            known[".".join(reversed(address.split("."))) + ".in-addr.arpa"] = 12, encoded(name)
        its_kind, data = known.get(".".join(labels), (0, b""))
        answer = b""
        if its_kind == kind:
            answer = b"\xc0\x0c" + struct.pack(">HHIH", kind, 1, 5, len(data)) + data
        flags = 0x8580 if data else 0x8583  # NXDOMAIN
        head = question[:2] + struct.pack(">HHHHH", flags, 1, 1 if answer else 0, 0, 0)
        sock.sendto(head + question[12:at + 5] + answer, who)


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256


def main():
    metadata = Server((METADATA, 80), Metadata)
    services = Server((API, 443), Services)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(FOLDER / "server.crt", FOLDER / "server.key")
    # Each connection's thread does its own handshake, so that none waits for another's.
    services.socket = context.wrap_socket(services.socket, server_side=True, do_handshake_on_connect=False)
    for work in (metadata.serve_forever, services.serve_forever, name_server):
        threading.Thread(target=work, daemon=True).start()
    (FOLDER / "ready").touch()
    while True:
        time.sleep(3600)


if __name__ == "__main__":
    main()
