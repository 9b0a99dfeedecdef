"""A registry of containers, as the OCI Distribution Specification 1.1 and its token authentication have it.

It refuses what registries refuse: requests without a token, tokens for other repositories, unknown names and tags, names that
break the specification's pattern, and everything that would change it. Give NAMES `name` -> {`tag`: Image}; repositories in
`private` want `user` and `password`.
"""
import base64, http.server, json, re, threading, urllib.parse

NAME = r"[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*(?:/[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*)*"
REQUEST = re.compile(rf"/v2/({NAME})/(manifests|blobs)/([A-Za-z0-9_][A-Za-z0-9._:-]*)")


class Registry:
    def __init__(self, names, private=(), user="", password=""):
        self.names, self.private, self.user, self.password = names, set(private), user, password
        self.log = []  # "GET /v2/…"
        self.stalled = threading.Event()  # set: blobs end in the middle and never go on
        registry = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                registry.log.append(f"{self.command} {self.path}")
                registry.answer(self)

            do_HEAD = do_GET

            def do_POST(self):
                refuse(self, 405, "UNSUPPORTED")

            do_PUT = do_PATCH = do_DELETE = do_POST

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.address = f"127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def answer(self, request):
        url = urllib.parse.urlparse(request.path)
        if url.path == "/token":
            return self.give_token(request, urllib.parse.parse_qs(url.query))
        found = REQUEST.fullmatch(url.path)
        if url.path != "/v2/" and not found:
            return refuse(request, 404, "NAME_INVALID" if url.path.startswith("/v2/") else "UNSUPPORTED")
        name = found[1] if found else ""
        if request.headers.get("Authorization") != f"Bearer {token(name)}":
            scope = f',scope="repository:{name}:pull"' if name else ""
            challenge = f'Bearer realm="http://{self.address}/token",service="test"{scope}'
            return refuse(request, 401, "UNAUTHORIZED", {"WWW-Authenticate": challenge})
        return self.give(request, *found.groups())

    def give_token(self, request, query):
        name = query.get("scope", ["repository::pull"])[0].split(":")[1]
        expected = "Basic " + base64.b64encode(f"{self.user}:{self.password}".encode()).decode()
        given = request.headers.get("Authorization")
        if (given or name in self.private) and given != expected:
            return refuse(request, 401, "UNAUTHORIZED")
        return reply(request, 200, json.dumps({"token": token(name)}).encode(), {"Content-Type": "application/json"})

    def give(self, request, name, kind, reference):
        if name not in self.names:
            return refuse(request, 404, "NAME_UNKNOWN")
        images = self.names[name]
        if kind == "manifests":
            found = [one for tag, one in images.items() if reference in (tag, one.manifest)]
            if not found:
                return refuse(request, 404, "MANIFEST_UNKNOWN")
            return reply(request, 200, found[0].blobs[found[0].manifest],
                         {"Content-Type": found[0].descriptor["mediaType"], "Docker-Content-Digest": found[0].manifest})
        for image in images.values():
            if reference in image.blobs:
                content = image.blobs[reference]
                return reply(request, 200, content, {"Content-Type": "application/octet-stream"}, self.stalled)
        return refuse(request, 404, "BLOB_UNKNOWN")

    def stop(self):
        self.server.shutdown()


def token(name):
    return "token-for-" + (name or "nothing").replace("/", "-")


def reply(request, status, body, headers, stalled=None):
    request.send_response(status)
    for key, value in headers.items():
        request.send_header(key, value)
    request.send_header("Content-Length", str(len(body)))
    request.end_headers()
    if request.command == "HEAD":
        return
    if stalled is not None and stalled.is_set():
        request.wfile.write(body[: len(body) // 2])
        request.wfile.flush()
        threading.Event().wait()
    request.wfile.write(body)


def refuse(request, status, code, headers=None):
    body = json.dumps({"errors": [{"code": code, "message": code.lower().replace("_", " ")}]}).encode()
    reply(request, status, body, {"Content-Type": "application/json", **(headers or {})})
