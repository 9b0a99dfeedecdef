#!/usr/bin/env python3
"""Runs a command, and records what it asks Google's services and what they answer, without secrets: record.py FILE COMMAND...

    scripts/record.py traffic.jsonl slipway doctor google cluster.yaml -d site.yaml
    scripts/record.py traffic.jsonl slipway deploy ./cluster
    scripts/record.py controller.jsonl --from slipway-traffic.jsonl

With --from it asks nobody: it takes the requests from a file that a machine of the cluster recorded (docs/first-day.md), and writes
them to FILE without secrets.

The command gets the variables GOOGLE_…_CUSTOM_ENDPOINT, which lead Terraform's provider and Slipway to this program; it asks the
services itself, over TLS, with the command's own credentials. It listens on 127.0.0.1 only, while the command runs. FILE gets a line
for each request, as tests/fakes/google/README.md describes, and is readable by its owner only.

It leaves out all headers, and so the tokens; contents of objects, and anything that is not JSON; values of secrets, keys and
passwords; values of metadata except Slipway's own; the serial console; parameters of signed addresses; addresses of people. Names
of projects, machines and service accounts stay, unless --rename OLD=NEW replaces them: read the file before you pass it on.
"""
import http.client, http.server, json, os, re, socketserver, ssl, subprocess, sys, threading, urllib.parse

# Where the provider's variables lead: registry.terraform.io/providers/hashicorp/google/latest/docs/guides/provider_reference
SERVICES = {"COMPUTE": "compute.googleapis.com/compute/v1/", "STORAGE": "storage.googleapis.com/storage/v1/",
            "SECRET_MANAGER": "secretmanager.googleapis.com/v1/", "IAM": "iam.googleapis.com/v1/",
            "RESOURCE_MANAGER": "cloudresourcemanager.googleapis.com/v1/", "FILESTORE": "file.googleapis.com/v1/",
            "LUSTRE": "lustre.googleapis.com/v1/", "SERVICE_USAGE": "serviceusage.googleapis.com/v1/",
            "SERVICE_NETWORKING": "servicenetworking.googleapis.com/v1/", "CLOUD_QUOTAS": "cloudquotas.googleapis.com/v1/"}
HOSTS = {place.split("/")[0] for place in SERVICES.values()}
HOP_BY_HOP = {"connection", "keep-alive", "transfer-encoding", "te", "trailer", "upgrade", "proxy-authorization", "proxy-authenticate",
              "content-length", "host", "accept-encoding"}

SECRET_KEY = re.compile(r"(?i)pass(word|wd|phrase)|secret_?(key|value|data)|secret$|token|private_?key|raw_?key|rsa_?encrypted|"
                        r"credential|signature|ssh_?-?keys|api_?key|^payload$|^auth")
HARMLESS_KEY = {"nextPageToken", "pageToken", "authentication", "authProvider", "authorizedViews", "authorizedNetworks"}
SECRET_TEXT = re.compile(r"ya29\.|-----BEGIN |eyJ[\w-]{8,}\.[\w-]{8,}\.|AIza[\w-]{20,}|GOCSPX-|(?i:\bbearer\s+\S)|\b1//0[\w-]{10,}|"
                         r"ssh-(?:rsa|ed25519|dss)\s|(?i:(?:password|passwd|secret|token|api_?key)\s*[=:]\s*\S)|[?&](?:X-Goog-Signature|Signature|sig)=")
SECRET_PARAMETER = re.compile(r"(?i)token|^key$|^upload_id$|signature|credential|^x-goog-|^sig$")
OUR_METADATA = re.compile(r"slipway-(cluster|files|group|role)|enable-oslogin|serial-port-enable|VmDnsSetting|enable-guest-attributes")
PERSON = re.compile(r"[\w.+-]+@(?![\w.-]*gserviceaccount\.com\b)[\w-]+(?:\.[\w-]+)+")


def hidden(value):
    return f"hidden, {len(value if isinstance(value, str) else json.dumps(value))} bytes"


def is_metadata(value):
    return set(value) <= {"key", "value"} and isinstance(value.get("key"), str) and "value" in value


def without_secrets(value):
    """The same JSON value without what nobody else should read."""
    if isinstance(value, dict):
        if is_metadata(value) and not OUR_METADATA.fullmatch(value["key"]):
            return {"key": without_secrets(value["key"]), "value": hidden(value["value"])}
        return {without_secrets(key): hidden(one) if SECRET_KEY.search(key) and key not in HARMLESS_KEY else without_secrets(one)
                for key, one in value.items()}
    if isinstance(value, list):
        return [without_secrets(one) for one in value]
    if isinstance(value, str):
        return hidden(value) if SECRET_TEXT.search(value) else PERSON.sub("person@example.com", value)
    return value


def public_url(host, path, query):
    shown = [(key, "hidden" if SECRET_PARAMETER.search(key) and key not in HARMLESS_KEY else without_secrets(value))
             for key, value in urllib.parse.parse_qsl(query, keep_blank_values=True)]
    return f"https://{host}{PERSON.sub('person@example.com', path)}" + ("?" + urllib.parse.urlencode(shown) if shown else "")


def public_body(host, path, query, body):
    """The JSON value of a body as it may be shown; null if it is not JSON, or the content of an object."""
    is_content = host == "storage.googleapis.com" and (path.startswith("/upload/") or path.startswith("/download/") or "alt=media" in query)
    if not body or is_content:
        return None
    try:
        value = json.loads(body)
        if path.endswith("/serialPort") and isinstance(value, dict) and "contents" in value:
            value["contents"] = hidden(value["contents"])
        return without_secrets(value)
    except (ValueError, RecursionError):
        return None


class Recording:
    def __init__(self, path, names=()):
        self.names, self.lock, self.count = dict(names), threading.Lock(), 0
        self.file = os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600), "w")

    def write(self, method, host, path, query, request, status, response):
        row = {"method": method, "url": public_url(host, path, query), "request": public_body(host, path, query, request),
               "status": status, "response": public_body(host, path, query, response)}
        text = json.dumps(row)
        for old, new in self.names.items():
            text = text.replace(old, new)
        with self.lock:
            self.file.write(text + "\n")
            self.file.flush()
            self.count += 1


def over_tls(host):
    return http.client.HTTPSConnection(host, timeout=300, context=ssl.create_default_context())


class Between(http.server.BaseHTTPRequestHandler):
    """Passes a request on: the first part of its path is the service's host."""
    protocol_version = "HTTP/1.1"
    recording = None
    connect = staticmethod(over_tls)

    def log_message(self, *_):
        pass

    def pass_on(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        path, _, query = self.path.partition("?")
        prefix = ""
        if path.startswith("/upload/"):  # the provider puts this before the whole path of its endpoint
            prefix, path = "/upload", path.removeprefix("/upload")
        host, _, rest = path.lstrip("/").partition("/")
        path = f"{prefix}/{rest}"
        if host not in HOSTS:
            return self.answer(404, [], b"")
        headers = {key: value for key, value in self.headers.items() if key.lower() not in HOP_BY_HOP}
        try:
            connection = self.connect(host)
            connection.request(self.command, path + ("?" + query if query else ""), body or None,
                               {**headers, "Content-Length": str(len(body))} if body or self.command == "POST" else headers)
            found = connection.getresponse()
            status, content = found.status, found.read()
            given = [(key, value) for key, value in found.getheaders() if key.lower() not in HOP_BY_HOP]
            connection.close()
        except (OSError, http.client.HTTPException) as error:
            status, given, content = 502, [], json.dumps({"error": {"code": 502, "message": f"{host} cannot be asked: {error}"}}).encode()
        self.recording.write(self.command, host, path, query, body, status, content)
        self.answer(status, given, content)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = pass_on

    def answer(self, status, headers, content):
        self.send_response_only(status)
        for key, value in headers:
            self.send_header(key, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True


def run(path, command, names=()):
    """The exit status of the command, and how many requests were recorded."""
    Between.recording = Recording(path, names)
    with Server(("127.0.0.1", 0), Between) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        variables = {f"GOOGLE_{name}_CUSTOM_ENDPOINT": f"http://127.0.0.1:{server.server_port}/{place}" for name, place in SERVICES.items()}
        status = subprocess.run(command, env={**os.environ, **variables}).returncode
        server.shutdown()
    Between.recording.file.close()
    return status, Between.recording.count


def take(path, recorded, names=()):
    """Copies a machine's own recording without secrets; how many requests it has. A line that was cut short is left out."""
    recording = Recording(path, names)
    with open(recorded) as lines:
        for line in lines:
            try:
                row = json.loads(line)
                url = urllib.parse.urlsplit(row["url"])
                bodies = [b"" if row[key] is None else json.dumps(row[key]).encode() for key in ("request", "response")]
                recording.write(str(row["method"]), url.hostname, url.path, url.query, bodies[0], int(row["status"]), bodies[1])
            except (ValueError, KeyError, TypeError):
                print(f"record.py: left out a line of {recorded} that it cannot read", file=sys.stderr)
    recording.file.close()
    return recording.count


def main():
    words, names = sys.argv[1:], []
    while words[:1] == ["--rename"] and len(words) > 1 and re.fullmatch(r"[^=]+=[\w.-]+", words[1]):
        names.append(words[1].split("=", 1))
        words = words[2:]
    if len(words) < 2 or words[0].startswith("-"):
        sys.exit("usage: record.py [--rename OLD=NEW]... FILE COMMAND..., or FILE --from RECORDED")
    try:
        if words[1] == "--from" and len(words) == 3:
            print(f"record.py: {take(words[0], words[2], names)} requests in {words[0]}", file=sys.stderr)
            return
        status, count = run(words[0], words[1:], names)
    except OSError as error:
        sys.exit(f"record.py: {error}")
    print(f"record.py: {count} requests in {words[0]}", file=sys.stderr)
    sys.exit(status)


if __name__ == "__main__":
    main()
