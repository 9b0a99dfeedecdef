"""Services whose changes are long-running operations: Filestore, Lustre, Service Usage, Service Networking."""
import copy, re

from errors import Refusal
from links import part, path_of

CAPACITY_GB = {"BASIC_HDD": (1024, 65434), "BASIC_SSD": (2560, 65434), "STANDARD": (1024, 65434), "PREMIUM": (2560, 65434),
               "HIGH_SCALE_SSD": (10240, 102400), "ENTERPRISE": (1024, 10240), "ZONAL": (1024, 102400), "REGIONAL": (1024, 102400)}
THROUGHPUT = {125: (9000, 954000), 250: (9000, 954000), 500: (9000, 954000), 1000: (9000, 954000)}  # Lustre: GiB


def run(cloud, place, response, name, seconds=None, work=None):
    """An operation that ends after some time."""
    path = f"{place}/operation-{name}"
    operation = cloud.put("operations", path, {"name": path, "done": False, "metadata": {}})

    def end():
        if work:
            work()
        operation.update(done=True, response=copy.deepcopy(response))
    answer = copy.deepcopy(operation)
    cloud.at(cloud.conditions.get("operation_seconds", 0) if seconds is None else seconds, end)
    return answer


class FileShares:
    """Filestore and Lustre: instances with a network and a size. A share is the folder shares/NAME."""

    def __init__(self, cloud):
        self.cloud = cloud

    def operation(self, place, response, name):
        return run(self.cloud, place, response, name)

    def call(self, method, params, query, body, caller):
        name = params.get("name") or params.get("parent") or params.get("instance.name")
        verb = re.sub(r"Instances?$", "", method.name.split(".")[1])
        self.cloud.rights.require(caller, f"{method.service}.instances.{verb}", f"projects/{part(name, 'projects')}")
        if verb == "create":
            return self.create(method.service, name, query, body)
        if verb == "list":
            return {"instances": [one for _, one in self.cloud.under(method.service, f"{name}/instances/")]}
        found = self.cloud.get(method.service, name)
        if found is None:
            raise Refusal(404, f"Resource '{name}' was not found", "notFound")
        if verb == "get":
            return found
        place = name.split("/instances/")[0] + "/operations"
        if verb == "delete":
            if found.get("deletionProtectionEnabled"):
                raise Refusal(400, f"Instance {name} has deletion protection.", word="FAILED_PRECONDITION")
            return run(self.cloud, place, {}, self.cloud.new_id(), work=lambda: self.cloud.remove(method.service, name))
        found.update({key: value for key, value in body.items() if key in query.get("updateMask", "").split(",")})
        return run(self.cloud, place, found, self.cloud.new_id())

    def create(self, service, parent, query, body):
        name = query.get("instanceId", "")
        if not re.fullmatch(r"[a-z]([-a-z0-9]{0,61}[a-z0-9])?", name):
            raise Refusal(400, f"Invalid instance id: '{name}'")
        path = f"{parent}/instances/{name}"
        if self.cloud.get(service, path) is not None:
            raise Refusal(409, f"Resource '{path}' already exists")
        made = {**copy.deepcopy(body), "name": path, "state": "CREATING", "createTime": "2026-11-01T00:00:00Z"}
        (self.check_filestore if service == "file" else self.check_lustre)(parent, made)
        self.cloud.put(service, path, made)

        def ready():
            made["state"] = "READY" if service == "file" else "ACTIVE"
            for share in made.get("fileShares", []):
                (self.cloud.folder / "shares" / share["name"]).mkdir(parents=True, exist_ok=True)
        return run(self.cloud, f"{parent}/operations", made, self.cloud.new_id(), work=ready)

    def network(self, parent, text):
        project = part(parent, "projects")
        path = path_of(text, project, "global/networks")
        if self.cloud.get("compute", path) is None:
            raise Refusal(400, f"network '{text}' does not exist.")
        return path

    def check_filestore(self, parent, made):
        tier = made.get("tier", "TIER_UNSPECIFIED")
        if len(made.get("fileShares", [])) != 1 or len(made.get("networks", [])) != 1:
            raise Refusal(400, "An instance has one file share and one network.")
        low, high = CAPACITY_GB.get(tier, (1, 0))
        share = made["fileShares"][0]
        if not low <= int(share.get("capacityGb", 0)) <= high:
            raise Refusal(400, f"The capacity of {tier} has to be between {low} and {high} GB, not {share.get('capacityGb')}.")
        if not re.fullmatch(r"[a-z_][a-z0-9_]{0,31}", share.get("name", "")):
            raise Refusal(400, f"Invalid share name: '{share.get('name')}'")
        if made.get("protocol") == "NFS_V4_1" and tier not in ("ZONAL", "REGIONAL", "ENTERPRISE", "HIGH_SCALE_SSD"):
            raise Refusal(400, f"{tier} does not support NFS_V4_1.")
        network = made["networks"][0]
        path = self.network(parent, network.get("network", ""))
        if network.get("connectMode") == "PRIVATE_SERVICE_ACCESS" and not self.cloud.get("servicenetworking", f"connections/{path}/servicenetworking.googleapis.com"):
            raise Refusal(400, f"The network {path} has no private services access.", word="FAILED_PRECONDITION")
        network.setdefault("ipAddresses", ["10.0.0.1"])

    def check_lustre(self, parent, made):
        path = self.network(parent, made["network"])
        if not re.fullmatch(r"[A-Za-z0-9]{1,8}", made["filesystem"]):
            raise Refusal(400, f"Invalid filesystem: '{made['filesystem']}': at most eight letters and digits.")
        speed = int(made.get("perUnitStorageThroughput") or 0)
        if speed and speed not in THROUGHPUT:
            raise Refusal(400, f"perUnitStorageThroughput {speed} is not one of {', '.join(map(str, THROUGHPUT))}.")
        low, high = THROUGHPUT.get(speed, (9000, 954000))
        if not low <= int(made["capacityGib"]) <= high or int(made["capacityGib"]) % 9000:
            raise Refusal(400, f"capacityGib {made['capacityGib']} has to be a multiple of 9000 between {low} and {high}.")
        if not self.cloud.get("servicenetworking", f"connections/{path}/servicenetworking.googleapis.com"):
            raise Refusal(400, f"The network {path} has no private services access.", word="FAILED_PRECONDITION")
        made["mountPoint"] = f"10.0.0.1@tcp:/{made['filesystem']}"


class ServiceUsage:
    def __init__(self, cloud):
        self.cloud = cloud

    def call(self, method, params, query, body, caller):
        verb, name = method.name.split(".")[1], params.get("name") or params["parent"]
        project = re.match(r"projects/[^/]+", name)[0]
        needed = {"getService": "serviceusage.services.get", "listServices": "serviceusage.services.list", "batchGetServices": "serviceusage.services.get"}
        self.cloud.rights.require(caller, needed.get(verb, "serviceusage.services.enable"), project)
        if verb in ("getService", "listServices", "batchGetServices"):
            if verb == "getService":
                return self.service(project, name.split("/")[-1])
            names = query.get("names", [])
            names = names if isinstance(names, list) else [names]
            return {"services": [self.service(project, one.split("/")[-1]) for one in names or self.enabled(project)]}
        services = body.get("serviceIds") or [name.split("/")[-1]]
        for service in services:
            self.cloud.put("serviceusage", f"{project}/services/{service}", {"state": "DISABLED" if verb == "disableService" else "ENABLED"})
        return run(self.cloud, "operations", {"services": [self.service(project, one) for one in services]}, self.cloud.new_id())

    def enabled(self, project):
        own = {path.split("/")[-1]: one["state"] for path, one in self.cloud.under("serviceusage", f"{project}/services/")}
        hosts = [host for host in self.cloud.description.hosts() if own.get(host) != "DISABLED"]
        return sorted({*hosts, *(service for service, state in own.items() if state == "ENABLED")})

    def service(self, project, name):
        return {"name": f"{project}/services/{name}", "parent": project, "config": {"name": name},
                "state": "ENABLED" if name in self.enabled(project) and name not in self.cloud.conditions.get("disabled_services", []) else "DISABLED"}


class ServiceNetworking:
    """Private services access: a network's connection to Google's own networks, with reserved ranges."""

    def __init__(self, cloud):
        self.cloud = cloud

    def call(self, method, params, query, body, caller):
        verb = method.name.split(".")[1]
        network = path_of(body.get("network") or body.get("consumerNetwork") or query.get("network", ""))
        network = re.sub(r"^projects/\d+/", lambda found: self.by_number(found[0]), network)
        if verb == "list":
            return {"connections": [one for _, one in self.cloud.under("servicenetworking", f"connections/{network}/")]}
        if self.cloud.get("compute", network) is None:
            raise Refusal(400, f"The network {network} does not exist.")
        for name in body.get("reservedPeeringRanges", []):
            if self.cloud.get("compute", f"projects/{part(network, 'projects')}/global/addresses/{name}") is None:
                raise Refusal(400, f"The reserved range {name} does not exist.")
        service = (params.get("parent") or params["name"]).split("/")[1]
        peering = service.replace(".", "-")
        key = f"connections/{network}/{service}"
        if verb == "deleteConnection":
            def remove():
                self.cloud.remove("servicenetworking", key)
                self.peer(network, peering, [])
            return run(self.cloud, "operations", {}, self.cloud.new_id(), work=remove)
        made = {"network": body.get("network"), "reservedPeeringRanges": body.get("reservedPeeringRanges", []), "service": f"services/{service}",
                "peering": peering}
        self.cloud.put("servicenetworking", key, made)
        self.peer(network, peering, [{"name": peering, "network": f"projects/{self.cloud.new_id()}-tp/global/networks/servicenetworking",
                             "state": "ACTIVE", "exchangeSubnetRoutes": True, "importCustomRoutes": False, "exportCustomRoutes": False}])
        return run(self.cloud, "operations", made, self.cloud.new_id())

    def peer(self, network, peering, rows):
        """The network's peering with Google's own, which the connection consists of."""
        found = self.cloud.get("compute", network) or {}
        others = [row for row in found.get("peerings", []) if row["name"] != peering]
        found["peerings"] = others + rows

    def by_number(self, prefix):
        """Networks are named by their project's number here."""
        from compute.facts import number_of
        number = prefix.split("/")[1]
        for path, _ in self.cloud.under("compute", "projects/"):
            if number_of(path.split("/")[1]) == number:
                return f"projects/{path.split('/')[1]}/"
        return prefix
