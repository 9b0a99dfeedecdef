"""The stand-in itself: takes requests to Google's services, and keeps what they made. README.md says what it checks.

The servers (google_cloud.py, serve.py), the unit tests and deploy.py call Cloud.handle. Everything happens in one thread at a time.
"""
import dataclasses, heapq, itertools, json, pathlib, re, threading, time, urllib.parse

from bigquery import BigQuery
from cloud_dns import CloudDns
from cloud_quotas import CloudQuotas
from compute.service import Compute
from conditions import Conditions
from description import Description
from errors import Refusal
from iam import Iam, ResourceManager
from instances_folder import InstancesFolder
from limits import Limits
from longrunning import FileShares, ServiceNetworking, ServiceUsage
from netapp import NetApp
from pubsub import PubSub
from recorder import Recorder
from rights import OPERATOR, Caller, Rights
from secret_manager import SecretManager
from sql import CloudSql, Connections
from storage import Storage

OPERATOR_TOKEN = "ya29.of-the-operator"
MACHINE_TOKEN = "ya29.of-the-machine-"  # then its name and zone


@dataclasses.dataclass
class Request:
    verb: str
    host: str
    path: str  # as sent, with %2F
    query: dict = dataclasses.field(default_factory=dict)
    body: bytes = b""
    headers: dict = dataclasses.field(default_factory=dict)


@dataclasses.dataclass
class Answer:
    status: int
    body: object  # bytes, or what becomes JSON
    headers: dict = dataclasses.field(default_factory=dict)

    def data(self):
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


class Cloud:
    def __init__(self, folder, clock=time.time):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.clock, self.lock = clock, threading.RLock()
        self.conditions, self.description = Conditions(self.folder), DESCRIPTION
        self.limits, self.rights = Limits(self.conditions, clock), Rights(self)
        self.resources = {}  # by "SERVICE/path"
        self.policies, self.bound = {}, {}  # by the name of a resource; when each binding was set
        self.later, self.order, self.requests, self.operations = [], itertools.count(), itertools.count(1), itertools.count(1)
        self.recorder = Recorder(self.folder)
        self.instances = InstancesFolder(self)
        compute, shares = Compute(self), FileShares(self)
        self.services = {"compute": compute, "compute-beta": compute, "storage": Storage(self), "secretmanager": SecretManager(self),
                         "iam": Iam(self), "cloudresourcemanager": ResourceManager(self), "file": shares, "lustre": shares,
                         "serviceusage": ServiceUsage(self), "servicenetworking": ServiceNetworking(self),
                         "cloudquotas": CloudQuotas(self), "bigquery": BigQuery(self),
                         "bigqueryconnection": Connections(self), "dns": CloudDns(self), "netapp": NetApp(self), "pubsub": PubSub(self), "sqladmin": CloudSql(self)}
        self.load()

    # requests

    def handle(self, request):
        with self.lock:
            self.advance()
            try:
                answer = self.answer(request)
                answer = answer if isinstance(answer, Answer) else Answer(200, answer)
            except Refusal as refusal:
                answer = Answer(refusal.status, refusal.body())
            self.recorder.write(request, answer)
            return answer

    def answer(self, request):
        self.trouble(request)
        storage = self.services["storage"]
        if request.host == "storage.googleapis.com" and storage.is_upload(request.path):
            caller = self.caller(request)
            return storage.upload(request, caller)
        if re.fullmatch(r"/v1/(projects/[^/]+/locations/[^/]+/)?operations/[^/]+", request.path) and request.verb == "GET":
            self.caller(request)
            return self.long_operation(request.path)
        method, params = self.description.find(request.host, request.verb, request.path)
        params = {key: urllib.parse.unquote(value) for key, value in params.items()}
        caller = self.caller(request)
        self.fail_sometimes(method)
        self.limits.take(method, params)
        self.rights.scopes_allow(caller, method)
        body = parsed(request) if request.body else None
        self.description.check(method, request.query, body)
        if request.host in self.conditions.get("disabled_services", []):
            raise Refusal(403, f"{request.host} has not been used in project before or it is disabled.", "accessNotConfigured")
        return self.services[method.service].call(method, params, request.query, body or {}, caller)

    def caller(self, request):
        token = request.headers.get("Authorization", "").removeprefix("Bearer ")
        if token == OPERATOR_TOKEN:
            return OPERATOR
        if token.startswith(MACHINE_TOKEN):
            instance = self.resources.get("compute/" + token.removeprefix(MACHINE_TOKEN))
            for account in (instance or {}).get("serviceAccounts", []):
                return Caller(account["email"], tuple(account.get("scopes", [])))
        raise Refusal(401, "Request had invalid authentication credentials. Expected OAuth 2 access token.", "authError")

    def trouble(self, request):
        query = "?" + urllib.parse.urlencode(request.query, doseq=True) if request.query else ""
        for pattern, (status, body) in self.conditions.file("trouble.json").items():
            if re.fullmatch(pattern, f"{request.verb} {request.host}{request.path}{query}"):
                raise Given(status, body)

    def fail_sometimes(self, method):
        number = next(self.requests)
        for failure in self.conditions.get("failures", []):
            if re.fullmatch(failure.get("method", ".*"), f"{method.service}:{method.name}") and number % failure["every"] == 0:
                raise Refusal(failure["status"], "The service is currently unavailable.", "backendError")

    # what was made

    def get(self, service, path):
        return self.resources.get(f"{service}/{path}")

    def put(self, service, path, resource):
        self.resources[f"{service}/{path}"] = resource
        if service == "compute" and "/instances/" in path:
            self.instances.changed(path, resource)
        return resource

    def remove(self, service, path):
        resource = self.resources.pop(f"{service}/{path}", None)
        if service == "compute" and "/instances/" in path:
            self.instances.removed(path)
        for name in [name for name in self.policies if name == path or name.startswith(path + "/")]:
            del self.policies[name]
        return resource

    def under(self, service, prefix):
        """(path, resource) of all whose path begins so, sorted."""
        start = f"{service}/{prefix}"
        return sorted((key[len(service) + 1:], one) for key, one in self.resources.items() if key.startswith(start))

    def policy(self, name):
        return self.policies.setdefault(name, {"version": 1, "etag": "BwAAAAAAAAA=", "bindings": []})

    def new_id(self):
        return str(10**18 + next(self.operations))

    # time

    def at(self, seconds, work):
        """Does something in so many seconds, at once if there is no time to pass."""
        heapq.heappush(self.later, (self.clock() + seconds, next(self.order), work))
        if seconds <= 0:
            self.advance()

    def advance(self):
        """Does what is due. The servers call it often, so that machines appear without a request."""
        with self.lock:
            self.instances.read_changes()
            while self.later and self.later[0][0] <= self.clock():
                heapq.heappop(self.later)[2]()
            self.services["compute"].preempt(self.conditions.get("preempted", []))

    def long_operation(self, path):
        found = self.resources.get("operations" + path.removeprefix("/v1"))
        if found is None:
            raise Refusal(404, f"Operation {path} was not found", "notFound")
        return found

    # from one process to the next

    def save(self):
        state = {"resources": self.resources, "policies": self.policies, "bound": self.bound, "operations": next(self.operations)}
        (self.folder / "state.json").write_text(json.dumps(state))

    def load(self):
        file = self.folder / "state.json"
        if file.exists():
            state = json.loads(file.read_text())
            self.resources, self.policies, self.bound = state["resources"], state["policies"], state["bound"]
            self.operations = itertools.count(state["operations"] + 1)
            self.instances.read_all()


class Given(Refusal):
    """An answer that a test gave."""

    def __init__(self, status, given):
        super().__init__(status, "given")
        self.given = given

    def body(self):
        return self.given


def parsed(request):
    try:
        return json.loads(request.body)
    except ValueError as error:
        raise Refusal(400, f"Invalid JSON payload received. {error}", "parseError") from error


DESCRIPTION = Description()
