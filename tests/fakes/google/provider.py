"""What Terraform's Google provider sends for a resource of the definitions: requests that make it, its attributes, and what a change does.

Only the types that our definitions use. Facts about the provider: terraform-provider-google 7.45, google/services/… — which attributes
force a replacement, that google_compute_instance_from_template sends labels of its own over the template's, that an object with
`source_md5hash` is written again when that changes.
"""
import hashlib, json, urllib.parse

from links import name_of, part, path_of
from provider_machines import camel, machine_attributes, machine_requests, many, one, template_body

COMPUTE, STORAGE = "compute.googleapis.com/compute/v1/", "storage.googleapis.com/storage/v1/"


class Failed(Exception):
    """A request that the cloud refused."""


def camels(value):
    """Snake case to camel case in all keys; nulls go away."""
    if isinstance(value, dict):
        return {camel(key): camels(inner) for key, inner in value.items() if inner is not None}
    return [camels(inner) for inner in value] if isinstance(value, list) else value


def picked(body, *names, **renamed):
    """Attributes under the names of the API."""
    found = {camel(name): body[name] for name in names if body.get(name) is not None}
    found.update({new: body[old] for old, new in renamed.items() if body.get(old) is not None})
    return found


LABELS = {"goog-terraform-provisioned": "true"}


def labels_of(body):
    return {**LABELS, **(body.get("labels") or {})}


class Provider:
    """`send(verb, url, body, **query)` sends a request and gives the answer's body, or throws Failed."""

    def __init__(self, send):
        self.send = send

    def create(self, kind, body):
        """Makes a resource; gives its attributes, with `id` and `//path` for deleting it."""
        return getattr(self, "make_" + kind.removeprefix("google_"))(body)

    # compute

    def compute(self, place, collection, made, **query):
        base = f"{COMPUTE}{place}/{collection}"
        self.wait(self.send("POST", base, made, **query))
        return self.read(f"{place}/{collection}/{made['name']}")

    def read(self, path):
        found = self.send("GET", COMPUTE + path)
        return {"id": path, "self_link": found["selfLink"], "name": found["name"], "//url": COMPUTE + path, "found": found}

    def wait(self, operation):
        """Waits for an operation of any service."""
        while operation.get("status", "DONE") != "DONE" or operation.get("done") is False:
            if "selfLink" in operation:
                operation = self.send("GET", COMPUTE + path_of(operation["selfLink"]))
            else:
                operation = self.send("GET", f"{operation['//host']}/v1/{operation['name']}")
        if "error" in operation:
            raise Failed(json.dumps(operation["error"]))
        return operation

    def make_compute_network(self, body):
        made = picked(body, "name", "description", "mtu", "auto_create_subnetworks", "enable_ula_internal_ipv6", "network_profile")
        made.setdefault("autoCreateSubnetworks", True)
        if body.get("routing_mode"):
            made["routingConfig"] = {"routingMode": body["routing_mode"]}
        return self.compute(f"projects/{body['project']}/global", "networks", made)

    def make_compute_subnetwork(self, body):
        made = picked(body, "name", "description", "ip_cidr_range", "network", "private_ip_google_access", "stack_type", "ipv6_access_type", "purpose", "role")
        made["secondaryIpRanges"] = camels(many(body.get("secondary_ip_range")))
        if body.get("log_config"):
            made["logConfig"] = {"enable": True, **camels(one(body["log_config"]))}
        found = self.compute(f"projects/{body['project']}/regions/{body['region']}", "subnetworks", made)
        return {**found, "ip_cidr_range": found["found"]["ipCidrRange"], "network": found["found"]["network"],
                "gateway_address": found["found"]["gatewayAddress"]}

    def make_compute_firewall(self, body):
        made = picked(body, "name", "description", "network", "direction", "disabled", "priority", "source_ranges", "destination_ranges", "target_tags",
                      "source_tags")
        for key, name in (("allow", "allowed"), ("deny", "denied")):
            if body.get(key):
                made[name] = [{"IPProtocol": row["protocol"], "ports": row.get("ports") or []} for row in many(body[key])]
        if body.get("log_config"):
            made["logConfig"] = {"enable": True, **camels(one(body["log_config"]))}
        return self.compute(f"projects/{body['project']}/global", "firewalls", made)

    def make_compute_router(self, body):
        return self.compute(f"projects/{body['project']}/regions/{body['region']}", "routers", picked(body, "name", "network", "description"))

    def make_compute_router_nat(self, body):
        """A NAT is a part of its router."""
        path = f"projects/{body['project']}/regions/{body['region']}/routers/{name_of(body['router'])}"
        router = self.read(path)["found"]
        nat = picked(body, "name", "nat_ip_allocate_option", "nat_ips", "source_subnetwork_ip_ranges_to_nat", "min_ports_per_vm")
        if body.get("log_config"):
            nat["logConfig"] = camels(one(body["log_config"]))
        self.wait(self.send("PATCH", COMPUTE + path, {"name": router["name"], "nats": router.get("nats", []) + [nat]}))
        return {"id": f"{path}/{nat['name']}", "name": nat["name"], "//nat": [path, nat["name"]]}

    def make_compute_address(self, body):
        made = picked(body, "name", "description", "address", "address_type", "subnetwork", "ip_version", "purpose", "network_tier")
        made["labels"] = labels_of(body)
        found = self.compute(f"projects/{body['project']}/regions/{body['region']}", "addresses", made)
        return {**found, "address": found["found"]["address"]}

    def make_compute_global_address(self, body):
        made = picked(body, "name", "description", "address", "address_type", "network", "prefix_length", "purpose", "ip_version")
        made["labels"] = labels_of(body)
        found = self.compute(f"projects/{body['project']}/global", "addresses", made)
        return {**found, "address": found["found"]["address"]}

    def make_compute_disk(self, body):
        made = picked(body, "name", "description", image="sourceImage", snapshot="sourceSnapshot")
        made.update(labels=labels_of(body), type=f"projects/{body['project']}/zones/{body['zone']}/diskTypes/{body.get('type') or 'pd-standard'}")
        if body.get("size"):
            made["sizeGb"] = str(body["size"])
        return self.compute(f"projects/{body['project']}/zones/{body['zone']}", "disks", made)

    def make_compute_resource_policy(self, body):
        made = {**picked(body, "name", "description"), **{camel(key): camels(one(body[key])) for key in ("group_placement_policy", "workload_policy")
                                                         if body.get(key)}}
        base = COMPUTE.replace("/v1/", "/beta/") if "beta" in body.get("provider", "") else COMPUTE
        place = f"projects/{body['project']}/regions/{body['region']}"
        self.wait(self.send("POST", f"{base}{place}/resourcePolicies", made))
        return self.read(f"{place}/resourcePolicies/{body['name']}")

    def make_compute_network_peering_routes_config(self, body):
        network = path_of(body["network"], body["project"], "global/networks")
        peering = {"name": body["peering"], **picked(body, "export_custom_routes", "import_custom_routes")}
        self.wait(self.send("PATCH", f"{COMPUTE}{network}/updatePeering", {"networkPeering": peering}))
        return {"id": f"{network}/networkPeerings/{body['peering']}", "peering": body["peering"]}

    def make_compute_instance_template(self, body):
        name = body.get("name") or f"{body['name_prefix']}{hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()[:16]}"
        place = f"projects/{body['project']}/global"
        found = self.compute(place, "instanceTemplates", {"name": name, **template_body(body)})
        unique = f"{found['self_link']}?uniqueId={found['found']['id']}"
        return {**found, "self_link_unique": unique, "labels": body.get("labels") or {}}

    def make_compute_instance_from_template(self, body):
        return self.machine(body)

    def make_compute_instance(self, body):
        return self.machine(body)

    def machine(self, body):
        place = f"projects/{body['project']}/zones/{body['zone']}"
        made, query = machine_requests(body)
        attached = made.pop("//attached", None)
        if attached:
            # The provider sends the template's disks itself if the definition has more.
            template = self.read(path_of(query["sourceInstanceTemplate"]))["found"]
            made["disks"] = [disk for disk in template["properties"]["disks"] if disk.get("boot") or disk.get("type") == "SCRATCH"] + attached
        self.wait(self.send("POST", f"{COMPUTE}{place}/instances", made, **query))
        found = self.read(f"{place}/instances/{body['name']}")
        return {**found, **machine_attributes(found["found"])}

    # storage, secrets

    def make_storage_bucket(self, body):
        made = {**picked(body, "name", "location", "storage_class"), "labels": labels_of(body), "iamConfiguration": {}}
        if body.get("uniform_bucket_level_access") is not None:
            made["iamConfiguration"]["uniformBucketLevelAccess"] = {"enabled": body["uniform_bucket_level_access"]}
        if body.get("public_access_prevention"):
            made["iamConfiguration"]["publicAccessPrevention"] = body["public_access_prevention"]
        for key in ("versioning", "autoclass", "hierarchical_namespace", "custom_placement_config", "retention_policy", "soft_delete_policy"):
            if one(body.get(key)):
                made[camel(key)] = camels(one(body[key]))
        self.send("POST", STORAGE + "b", made, project=body["project"])
        return {"id": body["name"], "name": body["name"], "url": f"gs://{body['name']}", "//bucket": [body["name"], bool(body.get("force_destroy"))],
                "self_link": f"https://www.googleapis.com/storage/v1/b/{body['name']}"}

    def make_storage_bucket_object(self, body):
        data = body["content"].encode() if body.get("content") is not None else body["//read"](body["source"])
        found = self.send("POST", f"storage.googleapis.com/upload/storage/v1/b/{body['bucket']}/o", data, uploadType="media", name=body["name"])
        return {"id": f"{body['bucket']}-{body['name']}", "name": body["name"], "bucket": body["bucket"], "output_name": body["name"],
                "self_link": found["selfLink"], "md5hash": found["md5Hash"], "generation": found["generation"],
                "//url": f"{STORAGE}b/{body['bucket']}/o/{urllib.parse.quote(body['name'], safe='')}"}

    def make_storage_anywhere_cache(self, body):
        self.send("POST", f"{STORAGE}b/{body['bucket']}/anywhereCaches", picked(body, "zone", "ttl", "admission_policy"))
        return {"id": f"{body['bucket']}/{body['zone']}", "anywhere_cache_id": body["zone"],
                "//post": f"{STORAGE}b/{body['bucket']}/anywhereCaches/{body['zone']}/disable"}

    def make_secret_manager_secret(self, body):
        replication = one(body["replication"]) or {}
        made = {"replication": {"automatic": {}} if "auto" in replication else {"userManaged": camels(one(replication["user_managed"]))},
                "labels": labels_of(body)}
        found = self.send("POST", f"secretmanager.googleapis.com/v1/projects/{body['project']}/secrets", made, secretId=body["secret_id"])
        return {"id": found["name"], "name": found["name"], "secret_id": body["secret_id"], "//url": f"secretmanager.googleapis.com/v1/{found['name']}"}

    # rights

    def make_service_account(self, body):
        made = {"accountId": body["account_id"], "serviceAccount": picked(body, "display_name", "description")}
        found = self.send("POST", f"iam.googleapis.com/v1/projects/{body['project']}/serviceAccounts", made)
        return {"id": found["name"], "name": found["name"], "email": found["email"], "member": f"serviceAccount:{found['email']}",
                "unique_id": found["uniqueId"], "account_id": body["account_id"], "//url": f"iam.googleapis.com/v1/{found['name']}"}

    def bind(self, read, write, role, members, add=True):
        """Adds members to a role, or removes them, as the provider does: it reads the policy, changes and writes it."""
        policy = self.send(*read)
        bindings = {row["role"]: row for row in policy.get("bindings", [])}
        row = bindings.setdefault(role, {"role": role, "members": []})
        row["members"] = sorted(set(row["members"]) | set(members)) if add else [member for member in row["members"] if member not in members]
        policy["bindings"] = [row for row in bindings.values() if row["members"]]
        verb, url, whole = write
        self.send(verb, url, policy if whole else {"policy": policy})

    def binding(self, on, name, body):
        """A binding's requests, and what undoes it."""
        members = [body["member"]] if "member" in body else list(body["members"])
        self.bind(*policy_of(on, name), body["role"], members)
        return {"id": f"{name}/{body['role']}/{','.join(members)}", "//bound": [on, name, body["role"], members]}

    def make_project_iam_member(self, body):
        return self.binding("project", body["project"], body)

    def make_storage_bucket_iam_member(self, body):
        return self.binding("bucket", body["bucket"].removeprefix("b/"), body)

    make_storage_bucket_iam_binding = make_storage_bucket_iam_member

    def make_secret_manager_secret_iam_member(self, body):
        secret = body["secret_id"] if "/" in body["secret_id"] else f"projects/{body['project']}/secrets/{body['secret_id']}"
        return self.binding("secret", secret, body)

    def make_service_account_iam_member(self, body):
        return self.binding("account", body["service_account_id"], body)

    # file systems, services

    def long(self, host, place, made, **query):
        operation = self.send("POST", f"{host}/v1/{place}", made, **query)
        return self.wait({**operation, "//host": host} if operation.get("done") is False else operation)

    def wait_long(self, host, operation):
        while not operation.get("done"):
            operation = self.send("GET", f"{host}/v1/{operation['name']}")
        if "error" in operation:
            raise Failed(json.dumps(operation["error"]))

    def make_filestore_instance(self, body):
        made = {**picked(body, "description", "tier", "protocol", "deletion_protection_enabled", "deletion_protection_reason"), "labels": labels_of(body)}
        made["fileShares"] = [{"name": row["name"], "capacityGb": str(row["capacity_gb"]), "nfsExportOptions": camels(many(row.get("nfs_export_options")))}
                              for row in many(body["file_shares"])]
        made["networks"] = camels(many(body["networks"]))
        host, name = "file.googleapis.com", f"projects/{body['project']}/locations/{body.get('location') or body.get('zone')}/instances/{body['name']}"
        self.wait_long(host, self.send("POST", f"{host}/v1/{name.rsplit('/', 1)[0]}", made, instanceId=body["name"]))
        found = self.send("GET", f"{host}/v1/{name}")
        return {"id": name, "name": body["name"], "networks": [{"ip_addresses": row["ipAddresses"]} for row in found["networks"]], "//url": f"{host}/v1/{name}"}

    def make_lustre_instance(self, body):
        made = {**picked(body, "description", "filesystem", "network", "gke_support_enabled", "kms_key"), "labels": labels_of(body),
                "capacityGib": str(body["capacity_gib"]), "perUnitStorageThroughput": str(body.get("per_unit_storage_throughput") or 0)}
        host, name = "lustre.googleapis.com", f"projects/{body['project']}/locations/{body['location']}/instances/{body['instance_id']}"
        self.wait_long(host, self.send("POST", f"{host}/v1/{name.rsplit('/', 1)[0]}", made, instanceId=body["instance_id"]))
        found = self.send("GET", f"{host}/v1/{name}")
        return {"id": name, "name": name, "mount_point": found["mountPoint"], "//url": f"{host}/v1/{name}"}

    def make_project_service(self, body):
        name = f"projects/{body['project']}/services/{body['service']}"
        self.wait_long("serviceusage.googleapis.com", self.send("POST", f"serviceusage.googleapis.com/v1/{name}:enable", {}))
        return {"id": f"{body['project']}/{body['service']}", "service": body["service"]}

    def make_service_networking_connection(self, body):
        network, service = path_of(body["network"]), f"services/{body['service']}"
        made = {"network": network, "reservedPeeringRanges": body["reserved_peering_ranges"]}
        self.wait_long("servicenetworking.googleapis.com", self.send("POST", f"servicenetworking.googleapis.com/v1/{service}/connections", made))
        peering = body["service"].replace(".", "-")
        return {"id": network, "peering": peering, "network": body["network"], "reserved_peering_ranges": body["reserved_peering_ranges"],
                "//connection": [service, network]}

    # others' resources, and the end

    def data(self, kind, body):
        """A resource that was there before."""
        if kind == "google_compute_network":
            return self.read(f"projects/{body['project']}/global/networks/{body['name']}")
        if kind == "google_compute_image":
            base = f"{COMPUTE}projects/{body['project']}/global/images/"
            found = self.send("GET", base + (f"family/{body['family']}" if body.get("family") else body["name"]))
            return {"id": path_of(found["selfLink"]), "self_link": found["selfLink"], "name": found["name"], "family": found.get("family", "")}
        if kind == "google_compute_network_peering":
            peerings = self.read(path_of(body["network"]))["found"].get("peerings", [])
            return {"state": next((row["state"] for row in peerings if row["name"] == body["name"]), "INACTIVE"), **body}
        if kind == "google_compute_subnetwork":
            path = path_of(body["self_link"]) if body.get("self_link") else f"projects/{body['project']}/regions/{body['region']}/subnetworks/{body['name']}"
            found = self.read(path)
            return {**found, "network": found["found"]["network"], "ip_cidr_range": found["found"]["ipCidrRange"], "region": part(path, "regions")}
        raise KeyError(f"the data source {kind} is not known: add it to provider.py")

    def delete(self, made):
        """Undoes a resource by its attributes. A resource that is gone already counts as deleted."""
        try:
            if "//url" in made:
                host = made["//url"].split("/")[0]
                operation = self.send("DELETE", made["//url"])
                if isinstance(operation, dict) and operation.get("done") is False:
                    self.wait_long(host, operation)
                elif isinstance(operation, dict) and operation.get("kind") == "compute#operation":
                    self.wait(operation)
            for key, undo in (("//bound", self.unbind), ("//nat", self.remove_nat), ("//bucket", self.remove_bucket), ("//connection", self.disconnect),
                              ("//post", lambda url: self.send("POST", url))):
                if key in made:
                    undo(*made[key]) if isinstance(made[key], list) else undo(made[key])
        except Failed as failed:
            if not str(failed).startswith("404"):
                raise

    def unbind(self, on, name, role, members):
        self.bind(*policy_of(on, name), role, members, add=False)

    def remove_nat(self, path, name):
        router = self.read(path)["found"]
        self.wait(self.send("PATCH", COMPUTE + path, {"name": router["name"], "nats": [nat for nat in router.get("nats", []) if nat["name"] != name]}))

    def remove_bucket(self, name, force):
        if force:
            for found in self.send("GET", f"{STORAGE}b/{name}/o").get("items", []):
                self.send("DELETE", f"{STORAGE}b/{name}/o/{urllib.parse.quote(found['name'], safe='')}")
        self.send("DELETE", f"{STORAGE}b/{name}")

    def disconnect(self, service, network):
        peering = service.removeprefix("services/").replace(".", "-")
        url = f"servicenetworking.googleapis.com/v1/{service}/connections/{peering}"
        self.wait_long("servicenetworking.googleapis.com", self.send("POST", url, {"consumerNetwork": network}))


def policy_of(on, name):
    """How to read the policy of something, and how to write it: (verb, URL), (verb, URL, whether the body is the policy)."""
    if on == "bucket":
        url = f"{STORAGE}b/{name}/iam"
        return ("GET", url), ("PUT", url, True)
    url = {"project": f"cloudresourcemanager.googleapis.com/v1/projects/{name}", "secret": f"secretmanager.googleapis.com/v1/{name}",
           "account": f"iam.googleapis.com/v1/{name}"}[on]
    return ("GET" if on == "secret" else "POST", f"{url}:getIamPolicy"), ("POST", f"{url}:setIamPolicy", False)


# Attributes that the provider changes in place; any other change replaces the resource.
IN_PLACE = {
    "google_compute_subnetwork": {"private_ip_google_access", "log_config", "ip_cidr_range"}, "google_compute_firewall": {"allow", "deny", "source_ranges", "description"},
    "google_compute_instance_from_template": {"labels", "allow_stopping_for_update", "machine_type", "metadata", "tags"},
    "google_compute_instance": {"labels", "machine_type", "metadata", "tags", "allow_stopping_for_update"},
    "google_compute_disk": {"labels", "size"}, "google_compute_address": {"labels"}, "google_storage_bucket": {"labels", "force_destroy", "versioning"},
    "google_storage_bucket_object": {"content", "source", "source_md5hash", "detect_md5hash"}, "google_secret_manager_secret": {"labels"},
    "google_filestore_instance": {"labels", "file_shares", "description", "deletion_protection_enabled"}, "google_lustre_instance": {"labels", "description"},
    "google_service_account": {"display_name", "description"}, "google_compute_network": {"routing_mode", "delete_default_routes_on_create"},
    "google_project_service": {"disable_on_destroy"},
}
