"""What Terraform's provider sends for networks, disks, addresses, templates and machines."""
import hashlib, json

from links import name_of, path_of
from provider_machines import camel, machine_attributes, machine_requests, many, one, template_body
from provider_words import COMPUTE, camels, labels_of, picked


class ComputeResources:
    """A part of Provider."""

    def make_compute_network(self, body):
        made = picked(body, "name", "description", "mtu", "auto_create_subnetworks", "enable_ula_internal_ipv6", "network_profile")
        made.setdefault("autoCreateSubnetworks", True)
        if body.get("routing_mode"):
            made["routingConfig"] = {"routingMode": body["routing_mode"]}
        found = self.compute(f"projects/{body['project']}/global", "networks", made)
        if body.get("delete_default_routes_on_create"):
            to_everywhere = f'(network="{found["self_link"]}") AND (destRange="0.0.0.0/0")'
            for route in self.send("GET", f"{COMPUTE}projects/{body['project']}/global/routes", filter=to_everywhere).get("items", []):
                self.wait(self.send("DELETE", COMPUTE + path_of(route["selfLink"])))
        return found

    def make_compute_route(self, body):
        made = picked(body, "name", "description", "network", "dest_range", "priority", "tags", "next_hop_gateway", "next_hop_instance", "next_hop_ip",
                      "next_hop_vpn_tunnel", "next_hop_ilb")
        if made.get("nextHopInstance") and "/" not in made["nextHopInstance"]:
            made["nextHopInstance"] = f"projects/{body['project']}/zones/{body['next_hop_instance_zone']}/instances/{made['nextHopInstance']}"
        return self.compute(f"projects/{body['project']}/global", "routes", made)

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

    def remove_nat(self, path, name):
        router = self.read(path)["found"]
        self.wait(self.send("PATCH", COMPUTE + path, {"name": router["name"], "nats": [nat for nat in router.get("nats", []) if nat["name"] != name]}))
