"""What the cloud refuses about resources of Compute's, besides fields that do not exist. Machines: machine_rules.py."""
import ipaddress, re

from errors import Refusal, invalid, missing
from links import check_name, link, name_of, part, path_of


def check_labels(field, labels):
    """https://docs.cloud.google.com/compute/docs/labeling-resources#restrictions"""
    if len(labels) > 64:
        raise invalid(field, len(labels), "Number of labels exceeds 64.")
    for key, value in labels.items():
        if not re.fullmatch(r"[a-z\u00df-\u1fff][\w-]{0,62}", key) or key != key.lower():
            raise invalid(field, key, "Label keys must start with a lowercase letter and only contain lowercase letters, digits, _ and -.")
        if not re.fullmatch(r"[\w-]{0,63}", value) or value != value.lower():
            raise invalid(f"{field}.{key}", value, "Label values only contain lowercase letters, digits, _ and -.")


def referenced(compute, field, text, path, collection=""):
    """The path of a resource that another names; it has to exist."""
    if not text:
        raise missing(field)
    found = path_of(text, part(path, "projects"), collection)
    if compute.cloud.get("compute", found) is None:
        raise Refusal(400, f"Invalid value for field '{field}': '{text}'. The referenced resource cannot be found.", "invalid")
    return found


def cidr(field, text):
    try:
        return ipaddress.ip_network(text)
    except ValueError as error:
        raise invalid(field, text, f"Must be a CIDR address range. {error}") from error


def check_networks(compute, path, network):
    if not 1300 <= int(network.get("mtu", 1460)) <= 8896:
        raise invalid("resource.mtu", network["mtu"], "Must be between 1300 and 8896.")
    network.setdefault("autoCreateSubnetworks", True)
    network.setdefault("routingConfig", {"routingMode": "REGIONAL"})


def check_subnetworks(compute, path, subnetwork):
    network = referenced(compute, "resource.network", subnetwork.get("network"), path, "global/networks")
    subnetwork["network"] = link(network)
    if not subnetwork.get("ipCidrRange"):
        raise missing("resource.ipCidrRange")
    mine = cidr("resource.ipCidrRange", subnetwork["ipCidrRange"])
    for other, one in compute.cloud.under("compute", f"projects/{part(path, 'projects')}/regions/"):
        if "/subnetworks/" in other and other != path and path_of(one["network"]) == network and mine.overlaps(cidr("", one["ipCidrRange"])):
            raise invalid("resource.ipCidrRange", subnetwork["ipCidrRange"], f"Invalid IPCidrRange: {mine} conflicts with existing subnetwork "
                          f"'{name_of(other)}' in region '{part(other, 'regions')}'.")
    subnetwork.setdefault("gatewayAddress", str(mine[1]))
    subnetwork.setdefault("purpose", "PRIVATE")


def check_firewalls(compute, path, firewall):
    firewall["network"] = link(referenced(compute, "resource.network", firewall.get("network") or "global/networks/default", path, "global/networks"))
    if bool(firewall.get("allowed")) == bool(firewall.get("denied")):
        raise Refusal(400, "Firewall should specify either allowed or denied.", "invalid")
    for text in firewall.get("sourceRanges", []) + firewall.get("destinationRanges", []):
        cidr("resource.sourceRanges", text)
    for row in firewall.get("allowed", []) + firewall.get("denied", []):
        for ports in row.get("ports", []):
            if not re.fullmatch(r"\d{1,5}(-\d{1,5})?", ports):
                raise invalid("resource.allowed.ports", ports)
    firewall.setdefault("direction", "INGRESS")
    firewall.setdefault("priority", 1000)


def check_routers(compute, path, router):
    router["network"] = link(referenced(compute, "resource.network", router.get("network"), path, "global/networks"))
    names = [nat.get("name") for nat in router.get("nats", [])]
    if len(names) != len(set(names)):
        raise invalid("resource.nats", names, "Names of NATs must be unique.")
    for nat in router.get("nats", []):
        if nat.get("natIpAllocateOption") == "MANUAL_ONLY" and not nat.get("natIps"):
            raise missing("resource.nats.natIps")
        for address in nat.get("natIps", []):
            referenced(compute, "resource.nats.natIps", address, path)


NEXT_HOPS = ("nextHopGateway", "nextHopInstance", "nextHopIp", "nextHopVpnTunnel", "nextHopIlb")
DEFAULT_GATEWAY = "default-internet-gateway"


def subnets_of(compute, network):
    """The ranges of a network's subnetworks, by path."""
    return {path: cidr("", one["ipCidrRange"]) for path, one in compute.cloud.under("compute", f"projects/{part(network, 'projects')}/regions/")
            if "/subnetworks/" in path and path_of(one["network"]) == network}


def check_routes(compute, path, route):
    """https://docs.cloud.google.com/vpc/docs/static-routes"""
    network = referenced(compute, "resource.network", route.get("network"), path, "global/networks")
    route["network"] = link(network)
    if not route.get("destRange"):
        raise missing("resource.destRange")
    destination, subnets = cidr("resource.destRange", route["destRange"]), subnets_of(compute, network)
    for other, range_ in subnets.items():
        if destination.version == range_.version and destination.subnet_of(range_):
            raise invalid("resource.destRange", route["destRange"], f"It is in the range of the subnetwork '{name_of(other)}'.")
    if not 0 <= int(route.setdefault("priority", 1000)) <= 65535:
        raise invalid("resource.priority", route["priority"], "Must be between 0 and 65535.")
    for tag in route.get("tags", []):
        check_name("resource.tags", tag)
    hops = [hop for hop in NEXT_HOPS if route.get(hop)]
    if len(hops) != 1:
        raise Refusal(400, f"A route must have exactly one next hop, not {len(hops)}: {', '.join(hops)}.", "invalid")
    check_next_hop(compute, path, route, hops[0], network, subnets)
    route.update(routeType="STATIC", routeStatus="ACTIVE")


def check_next_hop(compute, path, route, hop, network, subnets):
    field, text = f"resource.{hop}", route[hop]
    if hop == "nextHopIp" or (hop == "nextHopIlb" and "/" not in text):
        try:
            address = ipaddress.ip_address(text)
        except ValueError as error:
            raise invalid(field, text, "Must be an IP address.") from error
        if not any(address in range_ for range_ in subnets.values()):
            raise invalid(field, text, "Must be in the range of a subnetwork of the route's network.")
    elif hop == "nextHopGateway":
        if path_of(text, part(path, "projects"), "global/gateways").split("/", 2)[2] != f"global/gateways/{DEFAULT_GATEWAY}":
            raise invalid(field, text, f"Must be {DEFAULT_GATEWAY}.")
        route[hop] = link(f"projects/{part(path, 'projects')}/global/gateways/{DEFAULT_GATEWAY}")
    else:
        found = referenced(compute, field, text, path)
        if hop == "nextHopInstance":
            on = [path_of(nic.get("network", "")) for nic in compute.cloud.get("compute", found).get("networkInterfaces", [])]
            if network not in on:
                raise invalid(field, text, "The machine has no interface in the route's network.")
        route[hop] = link(found)


def check_addresses(compute, path, address):
    number = int(compute.cloud.new_id()) % 200 + 2
    if address.get("addressType") == "INTERNAL":
        prefix = int(address.get("prefixLength", 32) or 32)
        if address.get("purpose") == "VPC_PEERING" and not 8 <= prefix <= 29:
            raise invalid("resource.prefixLength", prefix)
        address.setdefault("address", f"10.200.{number}.0" if prefix < 32 else f"10.0.200.{number}")
    address.setdefault("address", f"203.0.113.{number}")
    address.setdefault("addressType", "EXTERNAL")


def check_disks(compute, path, disk):
    zone = part(path, "zones")
    compute.facts.disk("", zone, name_of(disk.get("type") or "pd-standard"))
    disk["type"] = link(f"projects/{part(path, 'projects')}/zones/{zone}/diskTypes/{name_of(disk.get('type') or 'pd-standard')}")
    if disk.get("sourceImage"):
        disk["sourceImage"] = link(compute.instances.image(disk["sourceImage"], part(path, "projects")))
    elif not int(disk.get("sizeGb") or 0) and not disk.get("sourceSnapshot"):
        raise invalid("resource.sizeGb", disk.get("sizeGb", ""), "Disk size must be at least 1 GB.")
    disk.setdefault("sizeGb", "10")
    disk["sizeGb"] = str(disk["sizeGb"])
    disk.setdefault("physicalBlockSizeBytes", "4096")


def check_instanceTemplates(compute, path, template):
    from compute import machine_rules
    properties = template.get("properties")
    if not properties:
        raise missing("resource.properties")
    machine_rules.check_template(compute, properties)


def check_resourcePolicies(compute, path, policy):
    kinds = [key for key in ("groupPlacementPolicy", "snapshotSchedulePolicy", "instanceSchedulePolicy", "diskConsistencyGroupPolicy",
                             "workloadPolicy") if policy.get(key) is not None]
    if len(kinds) != 1:
        raise Refusal(400, "A resource policy must have exactly one kind of policy.", "invalid")
    placement = policy.get("groupPlacementPolicy") or {}
    if placement.get("availabilityDomainCount") and placement.get("collocation") == "COLLOCATED":
        raise invalid("resource.groupPlacementPolicy.availabilityDomainCount", placement["availabilityDomainCount"],
                      "Not allowed with collocation.")
    if placement.get("gpuTopology") and (placement.get("collocation") != "COLLOCATED" or not re.fullmatch(r"[1-9]\d*x[1-9]\d*", placement["gpuTopology"])):
        raise invalid("resource.groupPlacementPolicy.gpuTopology", placement["gpuTopology"], "Must be a shape such as 1x72, with collocation.")
    if placement.get("maxDistance") is not None and not 1 <= placement["maxDistance"] <= 3:
        raise invalid("resource.groupPlacementPolicy.maxDistance", placement["maxDistance"], "Must be between 1 and 3.")


def check_reservations(compute, path, reservation):
    specific = reservation.get("specificReservation")
    if not specific and not reservation.get("aggregateReservation"):
        raise missing("resource.specificReservation")
    if specific:
        if int(specific.get("count", 0)) < 1:
            raise invalid("resource.specificReservation.count", specific.get("count", ""))
        compute.facts.machine("", part(path, "zones"), name_of(specific.get("instanceProperties", {}).get("machineType", "")))


def check_images(compute, path, image):
    if not (image.get("sourceDisk") or image.get("rawDisk") or image.get("sourceImage") or image.get("sourceSnapshot")):
        raise Refusal(400, "One of sourceDisk, rawDisk, sourceImage or sourceSnapshot is required.", "required")
