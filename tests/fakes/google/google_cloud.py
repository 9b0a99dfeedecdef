#!/usr/bin/env python3
"""The stand-in of Google Cloud as machines see it: google_cloud.py FOLDER

It uses the real addresses, in a network namespace of the tests: the metadata server and DNS at 169.254.169.254; the services, with
TLS, at 199.36.153.8 (private.googleapis.com). FOLDER has:

    instances/NAME.json   machines (instances_folder.py); a machine exists as long as its file does
    buckets/BUCKET/…      objects
    secrets/PROJECT/NAME/ a secret; its versions are the files 1, 2, …
    shares/NAME/          the shares of Filestore
    oslogin.json          accounts of people (oslogin.py)
    conditions.json, stock.json, trouble.json    what the cloud is like (conditions.py)
    log                   all requests, one for each line; with a file `record`, traffic.jsonl has them in full (README.md)
    api.sock              the services without TLS, for deploy.py and control.py
    server.key, server.crt
"""
import http.server, json, pathlib, re, socketserver, ssl, sys, threading, time, urllib.parse

import dns, metadata
from cloud import Cloud, Request
from control import control

METADATA, API = "169.254.169.254", "199.36.153.8"


def parameters(text):
    """The parameters of a query; several values of one name are a list."""
    return {key: values if len(values) > 1 else values[0] for key, values in urllib.parse.parse_qs(text).items()}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    cloud = None

    def log_message(self, *_):
        pass

    def handle_one(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        url = urllib.parse.urlsplit(self.path)
        query = parameters(url.query)
        host = (self.headers["Host"] or "").split(":")[0]
        with self.cloud.lock, open(self.cloud.folder / "log", "a") as log:
            log.write(f"{self.peer()} {self.command} {host}{self.path}\n")
        status, answer, headers = self.answer(host, url.path, query, body)
        self.send(status, answer if isinstance(answer, bytes) else json.dumps(answer).encode(), headers)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = handle_one

    def peer(self):
        return self.client_address[0] if self.client_address else "operator"

    def answer(self, host, path, query, body):
        answer = self.cloud.handle(Request(self.command, host, path, query, body, dict(self.headers.items())))
        return answer.status, answer.body, answer.headers

    def send(self, status, body, headers):
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", "Metadata-Flavor": "Google", **headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class Metadata(Handler):
    def answer(self, host, path, query, body):
        for pattern, (status, given) in self.cloud.conditions.file("trouble.json").items():
            if re.fullmatch(pattern, f"{self.command} {host}{self.path}"):
                return status, given, {}
        return *metadata.answer(self.cloud, self.client_address[0], path, query, self.headers), {}


class Operator(Handler):
    """Over the socket: besides the services, control.py's commands."""

    def answer(self, host, path, query, body):
        if host == "control":
            with self.cloud.lock:
                return (*control(self.cloud, path.strip("/"), query), {})
        return super().answer(host, path, query, body)


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256


class UnixServer(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True


def names(cloud):
    """What DNS knows: machines, and the services at one address."""
    with cloud.lock:
        records = [record for _, record in cloud.instances.records()]
    return [*dns.long_names(records), *((host, API) for host in cloud.description.hosts())]


def tick(cloud):
    while True:
        try:
            cloud.advance()
        except FileNotFoundError:
            if not all((cloud.folder / name).exists() for name in ("instances", "to-start")):
                return  # the cloud's folder is gone
            raise
        time.sleep(0.05)


def main():
    folder = pathlib.Path(sys.argv[1])
    cloud = Handler.cloud = Cloud(folder)
    (folder / "api.sock").unlink(missing_ok=True)
    services = Server((API, 443), Handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "server.crt", folder / "server.key")
    # Each connection's thread does its own handshake, so that none waits for another's.
    services.socket = context.wrap_socket(services.socket, server_side=True, do_handshake_on_connect=False)
    for work in (Server((METADATA, 80), Metadata).serve_forever, services.serve_forever, UnixServer(str(folder / "api.sock"), Operator).serve_forever,
                 lambda: dns.serve(METADATA, lambda: names(cloud)), lambda: tick(cloud)):
        threading.Thread(target=work, daemon=True).start()
    (folder / "ready").touch()
    while True:
        time.sleep(3600)


if __name__ == "__main__":
    main()
