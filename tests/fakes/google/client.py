"""Sends requests to the stand-in as the person who deploys: to the one that runs in a folder, or to one in this process."""
import http.client, json, re, socket, time, urllib.parse

from cloud import OPERATOR_TOKEN, Cloud, Request
from provider import Failed


RETRY_SECONDS = 90  # in all, for one request


def is_temporary(status, message):
    """Whether Google's provider sends the request again: terraform-provider-google, transport/error_retry_predicates.go."""
    return status in (429, 502, 503) or (status == 403 and re.search(r"Quota exceeded for quota metric.*per minute", str(message)))


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost")
        self.path = str(path)

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(self.path)


class Client:
    def __init__(self, folder):
        self.socket, self.cloud, self.connection = folder / "api.sock", None, None
        if (folder / "ready").exists():
            self.connection = UnixConnection(self.socket)
        else:
            self.cloud = Cloud(folder)
            self.cloud.instances.waiting = True

    def send(self, verb, url, body=None, **query):
        """The body of the answer to a request for "HOST/path". Throws Failed with "STATUS message"."""
        host, path = url.split("/", 1)
        data = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        pause, end = 0.5, time.monotonic() + RETRY_SECONDS
        while True:
            status, text = (self.over_socket if self.connection else self.inside)(verb, host, "/" + path, query, data)
            answer = json.loads(text) if text.strip().startswith(b"{") else text
            if status < 300:
                return answer
            message = answer.get("error", {}).get("message", answer) if isinstance(answer, dict) else answer
            if not is_temporary(status, message) or time.monotonic() + pause > end:
                raise Failed(f"{status} {message}")
            time.sleep(pause)
            pause = min(2 * pause, 30)

    def inside(self, verb, host, path, query, data):
        answer = self.cloud.handle(Request(verb, host, path, query, data, {"Authorization": f"Bearer {OPERATOR_TOKEN}"}))
        return answer.status, answer.data()

    def over_socket(self, verb, host, path, query, data):
        query = "?" + urllib.parse.urlencode(query) if query else ""
        self.connection.request(verb, path + query, data, {"Host": host, "Authorization": f"Bearer {OPERATOR_TOKEN}"})
        answer = self.connection.getresponse()
        return answer.status, answer.read()

    def close(self):
        if self.cloud:
            self.cloud.save()
        else:
            self.connection.close()
