"""Cloud SQL: instances with their databases and users, and operations; and BigQuery's connections to them.

What is refused: https://docs.cloud.google.com/sql/docs/mysql/instance-settings (names, editions and tiers), …/delete-instance (a name stays
taken), …/configure-private-services-access, and …/admin-api-error-messages
"""
import copy, re

from errors import Refusal
from links import part, path_of

SEVEN_DAYS = 7 * 86400
PLUS_TIERS = ("db-perf-optimized-", "db-c4a-")


class CloudSql:
    def __init__(self, cloud):
        self.cloud = cloud

    def call(self, method, params, query, body, caller):
        kind, verb = re.fullmatch(r"sql(\w+)Service\.(\w+)", method.name).groups()
        kind, project = kind.lower(), f"projects/{params['project']}"
        if kind == "operations":
            return self.found("operations", f"{project}/operations/{params['operation']}") if verb == "get" else {"items": []}
        right = {"insert": "create", "patch": "update"}.get(verb, verb)
        self.cloud.rights.require(caller, f"cloudsql.{kind}.{right}", project)
        place = f"{project}/instances"
        if kind != "instances":
            self.found("instances", f"{place}/{params['instance']}")
            place = f"{place}/{params['instance']}/{kind}"
        if verb == "list":
            return {"items": [one for path, one in self.cloud.under("sqladmin", f"{place}/") if "/" not in path.removeprefix(f"{place}/")]}
        if kind == "users":
            name = f"{body.get('name') or params.get('name') or query.get('name')}@{body.get('host') or query.get('host') or '%'}"
        else:
            name = body.get("name", "") if verb == "insert" else params[kind[:-1]]
        path = f"{place}/{name}"
        if verb == "get":
            return self.found(kind, path)
        instance = re.match(r"projects/[^/]+/instances/[^/]+", path)[0]
        self.is_idle(instance)
        return getattr(self, f"{verb}_{kind}" if verb == "insert" else "remove" if verb == "delete" else "change")(path, kind, body)

    def found(self, kind, path):
        found = self.cloud.get("sqladmin", path)
        if found is None:
            raise Refusal(404, f"The Cloud SQL {kind[:-1]} {path} does not exist.", f"{kind[:-1]}DoesNotExist")
        return found

    def is_idle(self, instance):
        """An instance takes one change at a time."""
        for _, operation in self.cloud.under("sqladmin", f"projects/{part(instance, 'projects')}/operations/"):
            if operation["targetId"] == instance.rsplit("/", 1)[1] and operation["status"] != "DONE":
                raise Refusal(409, "Operation failed because another operation was already in progress. Try your request after the current "
                                   "operation is complete.", "operationInProgress")

    def operation(self, path, kind, work=None):
        project, name = part(path, "projects"), self.cloud.new_id()
        made = {"kind": "sql#operation", "name": name, "status": "PENDING", "operationType": kind, "targetProject": project,
                "targetId": part(path, "instances"), "selfLink": f"https://sqladmin.googleapis.com/sql/v1beta4/projects/{project}/operations/{name}"}
        self.cloud.put("sqladmin", f"projects/{project}/operations/{name}", made)
        answer = copy.deepcopy(made)

        def end():
            if work:
                work()
            made["status"] = "DONE"
        self.cloud.at(self.cloud.conditions.get("operation_seconds", 0), end)
        return answer

    # instances

    def insert_instances(self, path, _, body):
        project, name = part(path, "projects"), body.get("name", "")
        if not re.fullmatch(r"[a-z][-a-z0-9]*", name) or len(f"{project}:{name}") > 98:
            raise Refusal(400, f"Invalid value for: Instance name ({name}).", "invalid")
        gone = self.cloud.get("sqladmin", f"taken/{path}")
        if self.cloud.get("sqladmin", path) is not None or gone is not None and self.cloud.clock() - gone < SEVEN_DAYS:
            raise Refusal(409, "The Cloud SQL instance already exists. When you delete an instance, you cannot reuse the name of the deleted "
                               "instance until one week from the deletion date.", "instanceAlreadyExists")
        if not re.fullmatch(r"[a-z]+-[a-z]+\d+", body.get("region", "")):
            raise Refusal(400, f"Invalid value for region: {body.get('region')}.", "invalid")
        settings = body.get("settings") or {}
        self.check_edition(body.get("databaseVersion", ""), settings)
        addresses = self.addresses(project, settings.get("ipConfiguration") or {})
        number = len(self.cloud.under("sqladmin", f"projects/{project}/instances/")) + 2
        made = {**copy.deepcopy(body), "kind": "sql#instance", "state": "PENDING_CREATE", "project": project, "instanceType": "CLOUD_SQL_INSTANCE",
                "connectionName": f"{project}:{body['region']}:{name}", "ipAddresses": [{"type": kind, "ipAddress": f"10.8.0.{number}"} for kind in addresses],
                "selfLink": f"https://sqladmin.googleapis.com/sql/v1beta4/{path}"}
        made["settings"] = {"activationPolicy": "ALWAYS", "dataDiskSizeGb": "10", "edition": "ENTERPRISE", "settingsVersion": "1", **made["settings"]}
        if ((settings.get("ipConfiguration") or {}).get("pscConfig") or {}).get("pscEnabled"):
            made["pscServiceAttachmentLink"] = f"projects/{self.cloud.new_id()}/regions/{body['region']}/serviceAttachments/a-{name}-psc-service-attachment"
        self.cloud.put("sqladmin", path, made)

        def ready():
            made["state"] = "RUNNABLE"
            self.cloud.put("sqladmin", f"{path}/users/root@%", {"name": "root", "host": "%", "instance": name, "project": project})
        return self.operation(path, "CREATE", ready)

    @staticmethod
    def check_edition(version, settings):
        edition, tier = settings.get("edition", "ENTERPRISE"), settings.get("tier", "")
        if not version or not tier:
            raise Refusal(400, "Missing parameter: databaseVersion and settings.tier.", "required")
        if not re.fullmatch(r"db-(f1-micro|g1-small|n1-(standard|highmem)-\d+|custom-\d+-\d+|perf-optimized-N-\d+|c4a-highmem-\d+)", tier) \
                or (edition == "ENTERPRISE_PLUS") != tier.startswith(PLUS_TIERS):
            raise Refusal(400, f"Invalid request: Invalid Tier ({tier}) for ({edition}) Edition.", "invalid")
        if edition == "ENTERPRISE_PLUS" and version.startswith("MYSQL_5"):
            raise Refusal(400, f"Invalid request: {version} is not supported in the ENTERPRISE_PLUS edition.", "invalid")
        if (settings.get("dataCacheConfig") or {}).get("dataCacheEnabled") and edition != "ENTERPRISE_PLUS":
            raise Refusal(400, "Invalid request: Data cache is only available in the ENTERPRISE_PLUS edition.", "invalid")

    def addresses(self, project, wanted):
        """Kinds of addresses that the instance gets."""
        private, has_psc = wanted.get("privateNetwork"), (wanted.get("pscConfig") or {}).get("pscEnabled")
        if not (wanted.get("ipv4Enabled", True) or private or has_psc):
            raise Refusal(400, "Invalid request: At least one of Public IP or Private IP or PSC connectivity must be enabled.", "invalid")
        if private:
            network = path_of(private, project, "global/networks")
            if self.cloud.get("compute", network) is None:
                raise Refusal(400, f"The network {network} does not exist.", "invalid")
            if not self.cloud.get("servicenetworking", f"connections/{network}/servicenetworking.googleapis.com"):
                raise Refusal(400, f"Failed to create subnetwork: the network {network} has no connection to servicenetworking.googleapis.com, "
                                   "which is private services access.", "NETWORK_NOT_PEERED")
        elif wanted.get("enablePrivatePathForGoogleCloudServices"):
            raise Refusal(400, "Invalid request: A private path for Google Cloud services needs a private network.", "invalid")
        return ["PRIVATE"] * bool(private) + ["PRIMARY"] * bool(wanted.get("ipv4Enabled", True))

    # databases and users

    def insert_databases(self, path, kind, body):
        if self.cloud.get("sqladmin", path) is not None:
            raise Refusal(400, f"Invalid request: failed to create database {body['name']}: database exists.", "invalid")
        if not re.fullmatch(r"\w{1,64}", body.get("name", ""), re.A):
            raise Refusal(400, f"Invalid value for: Database name ({body.get('name')}).", "invalid")
        return self.operation(path, "CREATE_DATABASE", lambda: self.cloud.put("sqladmin", path, copy.deepcopy(body)))

    def insert_users(self, path, kind, body):
        if not 0 < len(body.get("name", "")) <= 32:
            raise Refusal(400, "Invalid request: a user's name has 1 to 32 characters.", "invalid")
        made = {**copy.deepcopy(body), "host": body.get("host") or "%"}
        return self.operation(path, "CREATE_USER", lambda: self.cloud.put("sqladmin", path, made))

    # all of them

    def change(self, path, kind, body):
        found = self.found(kind, path)

        def change():
            found.update(copy.deepcopy({key: value for key, value in body.items() if key != "settings"}))
            if "settings" in body:
                found["settings"].update(copy.deepcopy(body["settings"]))
        return self.operation(path, {"users": "UPDATE_USER", "databases": "UPDATE_DATABASE"}.get(kind, "UPDATE"), change)

    def remove(self, path, kind, body):
        found = self.found(kind, path)
        if kind == "instances" and found["settings"].get("deletionProtectionEnabled"):
            raise Refusal(400, "The instance is protected. Please disable the deletion protection and try again.", "invalid")

        def remove():
            for name, _ in self.cloud.under("sqladmin", f"{path}/"):
                self.cloud.remove("sqladmin", name)
            self.cloud.remove("sqladmin", path)
            if kind == "instances":
                self.cloud.put("sqladmin", f"taken/{path}", self.cloud.clock())
        return self.operation(path, {"users": "DELETE_USER", "databases": "DELETE_DATABASE"}.get(kind, "DELETE"), remove)


class Connections:
    """BigQuery's connections. What they log in with is not answered."""

    def __init__(self, cloud):
        self.cloud = cloud

    def call(self, method, params, query, body, caller):
        verb = re.fullmatch(r"connectionService\.([a-z]+)\w+", method.name)[1]
        name = params.get("name") or params["parent"]
        self.cloud.rights.require(caller, f"bigquery.connections.{verb}", f"projects/{part(name, 'projects')}")
        if verb == "list":
            return {"connections": [one for _, one in self.cloud.under("bigqueryconnection", f"{name}/connections/")]}
        if verb == "create":
            return self.create(f"{name}/connections/{query.get('connectionId') or self.cloud.new_id()}", body)
        found = self.cloud.get("bigqueryconnection", name)
        if found is None:
            raise Refusal(404, f"Not found: Connection {name}", "notFound")
        if verb == "delete":
            self.cloud.remove("bigqueryconnection", name)
            return {}
        if verb == "update":
            found.update(self.answered({key: value for key, value in body.items() if key in query.get("updateMask", "").split(",")}))
        return found

    def create(self, path, body):
        if self.cloud.get("bigqueryconnection", path) is not None:
            raise Refusal(409, f"Already Exists: Connection {path}", "alreadyExists")
        sql = body.get("cloudSql") or {}
        if sql and not re.fullmatch(r"[^:]+:[^:]+:[^:]+", sql.get("instanceId", "")):
            raise Refusal(400, f"Invalid Cloud SQL instance: {sql.get('instanceId')}: it is PROJECT:LOCATION:INSTANCE.", "invalid")
        if sql and not all((sql.get("credential") or {}).get(key) for key in ("username", "password")):
            raise Refusal(400, "A connection to Cloud SQL needs a credential.", "invalid")
        made = {**self.answered(body), "name": path, "hasCredential": bool(sql)}
        return self.cloud.put("bigqueryconnection", path, made)

    @staticmethod
    def answered(body):
        made = copy.deepcopy(body)
        (made.get("cloudSql") or {}).pop("credential", None)
        return made
