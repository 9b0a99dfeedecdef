"""What is particular to a collection of Compute's, besides machines: states, methods with their own names, who uses what."""
import base64, hashlib, json

from compute import rules
from errors import Refusal, invalid, not_found
from links import link, name_of, path_of

READY = {"disks": "READY", "addresses": "RESERVED", "images": "READY", "resourcePolicies": "READY", "reservations": "READY"}


def fingerprint(value):
    return base64.b64encode(hashlib.sha256(json.dumps(value, sort_keys=True).encode()).digest()[:8]).decode()


def now(cloud):
    from compute.operations import timestamp
    return timestamp(cloud.clock())


def with_users(compute, path, resource):
    """Adds the machines that use a disk, and how many machines use a reservation."""
    if "/disks/" in path:
        users = [link(other) for other, one in compute.cloud.under("compute", path.split("/disks/")[0] + "/instances/")
                 if any(path_of(disk.get("source", "")) == path for disk in one.get("disks", []))]
        if users:
            resource["users"] = users
    if "/reservations/" in path and "specificReservation" in resource:
        resource["specificReservation"]["inUseCount"] = str(compute.instances.in_reservation(path))
    return resource


def images_getFromFamily(call):
    found = [one for path, one in call.cloud.under("compute", f"{call.project}/global/images/") if one.get("family") == call.params["family"]]
    if found:
        return max(found, key=lambda one: int(one["id"]))
    image = call.compute.instances.image(f"{call.project}/global/images/family/{call.params['family']}")
    return call.compute.made(image, "images", {"name": name_of(image), "family": call.params["family"], "diskSizeGb": "10"})


def images_get(call):
    found = call.cloud.get("compute", call.path)
    if found:
        return found
    image = call.compute.instances.image(call.path)
    return call.compute.made(image, "images", {"name": name_of(image), "diskSizeGb": "10"})


def disks_resize(call):
    disk = call.compute.need(call.path)
    if int(call.body.get("sizeGb", 0)) <= int(disk["sizeGb"]):
        raise invalid("sizeGb", call.body.get("sizeGb"), "New disk size must be larger than existing size.")
    disk["sizeGb"] = str(call.body["sizeGb"])
    return call.compute.operations.start(call.place, "resizeDisk", call.path, call.caller)


TO_THE_INTERNET = "Default route to the Internet."


def networks_insert(call):
    """The cloud makes a default route with each network: the provider deletes it if delete_default_routes_on_create is set."""
    operation = call.compute.do_insert(call)
    name = f"default-route-{int(call.cloud.new_id()):x}"[:63]
    path = f"{call.project}/global/routes/{name}"
    route = {"name": name, "network": link(call.path or f"{call.place}/networks/{call.body['name']}"), "destRange": "0.0.0.0/0",
             "description": TO_THE_INTERNET, "nextHopGateway": "global/gateways/default-internet-gateway"}
    route = call.compute.made(path, "routes", route)
    rules.check_routes(call.compute, path, route)
    call.cloud.put("compute", path, route)
    return operation


def networks_delete(call):
    """Its default route is deleted with it; other routes keep it."""
    call.compute.need(call.path)
    call.compute.check_unused(call.path)
    own = [path for path, one in call.cloud.under("compute", f"{call.project}/global/routes/") if belongs_to_network(one, call.path)]

    def gone():
        for path in [*own, call.path]:
            if call.cloud.get("compute", path) is not None:
                call.cloud.remove("compute", path)
    return call.compute.operations.start(call.place, "delete", call.path, call.caller, gone)


def belongs_to_network(route, network):
    return route.get("description") == TO_THE_INTERNET and path_of(route["network"]) == network


def networks_addPeering(call):
    network = call.compute.need(call.path)
    peering = call.body.get("networkPeering") or {"name": call.body.get("name"), "network": call.body.get("peerNetwork")}
    if any(one["name"] == peering["name"] for one in network.setdefault("peerings", [])):
        raise Refusal(409, f"The peering '{peering['name']}' already exists", "alreadyExists")
    network["peerings"].append({**peering, "state": "ACTIVE"})
    return call.compute.operations.start(call.place, "addPeering", call.path, call.caller)


def networks_updatePeering(call):
    network, peering = call.compute.need(call.path), call.body["networkPeering"]
    for one in network.get("peerings", []):
        if one["name"] == peering["name"]:
            one.update(peering)
            return call.compute.operations.start(call.place, "updatePeering", call.path, call.caller)
    raise not_found(f"{call.path}/peerings/{peering['name']}")


def networks_removePeering(call):
    network = call.compute.need(call.path)
    if not any(one["name"] == call.body["name"] for one in network.get("peerings", [])):
        raise not_found(f"{call.path}/peerings/{call.body['name']}")
    network["peerings"] = [one for one in network["peerings"] if one["name"] != call.body["name"]]
    return call.compute.operations.start(call.place, "removePeering", call.path, call.caller)


def subnetworks_expandIpCidrRange(call):
    subnetwork = call.compute.need(call.path)
    subnetwork["ipCidrRange"] = call.body["ipCidrRange"]
    return call.compute.operations.start(call.place, "expandIpCidrRange", call.path, call.caller)


def subnetworks_setPrivateIpGoogleAccess(call):
    call.compute.need(call.path)["privateIpGoogleAccess"] = call.body["privateIpGoogleAccess"]
    return call.compute.operations.start(call.place, "setPrivateIpGoogleAccess", call.path, call.caller)


def operations_delete(call):
    call.compute.need(call.path)
    call.cloud.remove("compute", call.path)
    return {}
