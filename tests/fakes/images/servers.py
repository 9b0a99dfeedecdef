#!/usr/bin/env python3
"""Everything that a closed root reaches: servers.py inside FOLDER SOCKET | outside CACHE SOCKET HOST...

`inside` runs in the root's network namespace: FOLDER/archives at port 8080, FOLDER/registry at port 5000 as a registry, and
at port 3142 a proxy for apt, which asks through SOCKET. `outside` answers there for the HOSTs of the release's own archive
and nothing else, and keeps packages in CACHE."""
import hashlib, http.server, json, pathlib, shutil, socketserver, sys, threading, urllib.error, urllib.parse, urllib.request


class Quiet(http.server.BaseHTTPRequestHandler):
    protocol_version = default_request_version = "HTTP/1.1"  # also in answers to requests that are not HTTP, such as TLS

    def log_message(self, *_):
        pass

    def address_string(self):
        return "a client"

    def answer(self, content, kind="application/octet-stream", status=200, head=False):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        if kind.startswith("application/vnd.docker"):
            self.send_header("Docker-Content-Digest", "sha256:" + hashlib.sha256(content).hexdigest())
        self.end_headers()
        if not head:
            self.wfile.write(content)


class Archives(Quiet):
    def do_GET(self):
        file = (self.server.folder / urllib.parse.unquote(urllib.parse.urlparse(self.path).path).lstrip("/")).resolve()
        if file.is_relative_to(self.server.folder) and file.is_file():
            return self.answer(file.read_bytes())
        self.answer(b"not here", status=404)


class Registry(Quiet):
    def do_GET(self, head=False):
        path = self.path.removeprefix("/v2/")
        file = (self.server.folder / path).resolve()
        if not path:
            return self.answer(b"{}", "application/json", head=head)
        if not file.is_relative_to(self.server.folder) or not file.is_file():
            return self.answer(b'{"errors": [{"code": "MANIFEST_UNKNOWN"}]}', "application/json", 404, head)
        content = file.read_bytes()
        kind = json.loads(content)["mediaType"] if "/manifests/" in path else "application/octet-stream"
        self.answer(content, kind, head=head)

    def do_HEAD(self):
        self.do_GET(head=True)


class Proxy(Quiet):
    """Passes on the whole address that apt asks for; `outside` decides."""

    def do_GET(self):
        import socket
        with socket.socket(socket.AF_UNIX) as line:
            line.connect(self.server.socket_path)
            line.sendall(f"{self.path}\n".encode())
            with line.makefile("rb") as answer:
                status, size = map(int, answer.readline().split())
                self.send_response(status)
                self.send_header("Content-Length", str(size))
                self.end_headers()
                shutil.copyfileobj(answer, self.wfile)


class Gate(socketserver.StreamRequestHandler):
    def handle(self):
        address = self.rfile.readline().decode().strip()
        status, content = self.fetch(address)
        self.wfile.write(f"{status} {len(content)}\n".encode() + content)

    def fetch(self, address):
        if urllib.parse.urlparse(address).hostname not in self.server.hosts:
            return 403, b"closed"
        kept = self.server.cache / hashlib.sha256(address.encode()).hexdigest()
        if address.endswith(".deb") and kept.exists():
            return 200, kept.read_bytes()
        try:
            with urllib.request.urlopen(address, timeout=120) as found:
                content = found.read()
        except urllib.error.HTTPError as refused:
            return refused.code, b"refused"
        if address.endswith(".deb"):
            kept.write_bytes(content)
        return 200, content


def serve(port, handler, **properties):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", port), handler)
    vars(server).update(properties)
    threading.Thread(target=server.serve_forever, daemon=True).start()


def inside(folder, socket_path):
    serve(8080, Archives, folder=(folder / "archives").resolve())
    serve(5000, Registry, folder=(folder / "registry").resolve())
    serve(3142, Proxy, socket_path=socket_path)
    threading.Event().wait()


def outside(cache, socket_path, hosts):
    cache.mkdir(parents=True, exist_ok=True)
    pathlib.Path(socket_path).unlink(missing_ok=True)
    with socketserver.ThreadingUnixStreamServer(socket_path, Gate) as server:
        server.daemon_threads, server.cache, server.hosts = True, cache, set(hosts)
        server.serve_forever()


if __name__ == "__main__":
    if sys.argv[1] == "inside":
        inside(pathlib.Path(sys.argv[2]), sys.argv[3])
    else:
        outside(pathlib.Path(sys.argv[2]), sys.argv[3], sys.argv[4:])
