"""What the cloud refuses about machines and their templates: disks, networks, ways to buy, placement.

Sources: https://docs.cloud.google.com/compute/docs/instances/provisioning-models, …/instances/reservations-consume,
…/instances/use-compact-placement-policies, …/accelerator-optimized-machines (disks of each series).
"""
import re

from compute.facts import check_zone
from compute.hardware import machine_type
from compute.rules import check_labels, referenced
from errors import Refusal, invalid, missing
from links import link, name_of, part, path_of, region_of

# Series without Persistent Disks of these types.
NO_DISKS = [(r"(a3|c3|c3d|h3|z3)-.*", ("pd-standard", "pd-extreme")), (r"(a3-ultragpu|a4|a4x|c4|c4a|c4d|n4|n4d|h4d)-.*",
                                                                        ("pd-standard", "pd-ssd", "pd-balanced", "pd-extreme"))]
# What may happen during maintenance: https://docs.cloud.google.com/compute/docs/instances/setting-vm-host-options
ONLY_STOP = r".*-metal|h4d-.*|z3-highmem-(88|88-highlssd|176|176-standardlssd)"
ONLY_MOVE = r"(e2|z3)-.*"
# https://docs.cloud.google.com/compute/docs/instances/set-threads-per-core
FIXED_THREADS = r"(t2a|t2d|f1|g1)-.*|e2-(micro|small|medium)|n1-standard-1|.*-metal"
SHORTEST_FLEX_START, LONGEST_FLEX_START = 600, 7 * 24 * 3600  # seconds


def check_template(compute, properties):
    """Of an instance template, which belongs to no zone."""
    if not properties.get("machineType"):
        raise missing("resource.properties.machineType")
    if "/" in properties["machineType"]:
        raise invalid("resource.properties.machineType", properties["machineType"], "Must be a name, not a link.")
    check_disks(properties, "resource.properties.disks")
    if not properties.get("networkInterfaces"):
        raise missing("resource.properties.networkInterfaces")
    check_labels("resource.properties.labels", properties.get("labels", {}))
    check_tags(properties.get("tags", {}))
    check_scheduling(properties, name_of(properties["machineType"]))
    check_metadata("resource.properties.metadata", properties.get("metadata", {}))


def check_metadata(field, metadata):
    """https://docs.cloud.google.com/compute/docs/reference/rest/v1/instances/setMetadata: sizes in bytes."""
    items = [(item.get("key", ""), item.get("value", "").encode()) for item in metadata.get("items", [])]
    keys = [key for key, _ in items]
    if len(keys) != len(set(keys)):
        raise invalid(f"{field}.items", keys, "Metadata has duplicate keys.")
    for number, (key, value) in enumerate(items):
        if not re.fullmatch(r"[a-zA-Z0-9-_]{1,127}", key):
            raise invalid(f"{field}.items[{number}].key", key)
        if len(value) > 262144:
            raise invalid(f"{field}.items[{number}].value", f"{key}: {len(value)} bytes", "Value is too large: maximum size 262144 character(s).")
    if sum(len(key) + len(value) for key, value in items) >= 512 * 1024:
        raise invalid(f"{field}.items", "", "Metadata is too large: maximum size 524288 character(s).")


def check_tags(tags):
    for tag in tags.get("items", []):
        if not re.fullmatch(r"[a-z]([-a-z0-9]{0,61}[a-z0-9])?", tag):
            raise invalid("resource.tags.items", tag, "Must be a match of regex '(?:[a-z](?:[-a-z0-9]{0,61}[a-z0-9])?)'")


def check_disks(properties, field):
    disks = properties.get("disks", [])
    if not disks:
        raise missing(field)
    if sum(bool(disk.get("boot")) for disk in disks) != 1 or not disks[0].get("boot"):
        raise invalid(f"{field}[0].boot", disks[0].get("boot", False), "The first disk, and only that, must be a boot disk.")
    names = [disk["deviceName"] for disk in disks if disk.get("deviceName")]
    if len(names) != len(set(names)):
        raise invalid(f"{field}.deviceName", names, "Device names must be unique.")
    for number, disk in enumerate(disks):
        check_disk(disk, f"{field}[{number}]", name_of(properties["machineType"]))


def check_disk(disk, field, machine):
    made = disk.get("initializeParams")
    if made is None and not disk.get("source"):
        raise missing(f"{field}.initializeParams")
    if made is not None and disk.get("source"):
        raise invalid(f"{field}.source", disk["source"], "A disk has a source or initializeParams.")
    if made is None:
        return
    kind = name_of(made.get("diskType") or "pd-standard")
    if (disk.get("type") == "SCRATCH") != (kind == "local-ssd"):
        raise invalid(f"{field}.initializeParams.diskType", kind, "SCRATCH disks, and only those, are of type local-ssd.")
    if kind == "local-ssd" and int(made.get("diskSizeGb") or 375) not in (375, 3000):
        raise invalid(f"{field}.initializeParams.diskSizeGb", made.get("diskSizeGb"), "Local SSDs have 375 GB, or 3000 GB on Z3.")
    if disk.get("boot") and not (made.get("sourceImage") or made.get("sourceSnapshot")):
        raise Refusal(400, "You must specify a source image or snapshot for the boot disk.", "required")
    check_type_of_disk(kind, machine)


def check_attached(compute, path, resource, machine):
    """Disks that exist already have to be of a type that the machine can have."""
    for disk in resource.get("disks", []):
        if disk.get("source"):
            found = compute.cloud.get("compute", path_of(disk["source"], part(path, "projects")))
            check_type_of_disk(name_of((found or {}).get("type", "")), machine)


def check_type_of_disk(kind, machine):
    for series, without in NO_DISKS:
        if re.fullmatch(series, machine) and kind in without:
            raise Refusal(400, f"[{kind}] features are not compatible for creating instance: {machine} does not support it.", "badRequest")


def check_scheduling(properties, machine):
    """Ways to buy, and what each wants."""
    scheduling = properties.get("scheduling") or {}
    kind, model = machine_type(machine), scheduling.get("provisioningModel") or ("SPOT" if scheduling.get("preemptible") else "STANDARD")
    affinity = (properties.get("reservationAffinity") or {}).get("consumeReservationType")
    action, host = scheduling.get("instanceTerminationAction"), scheduling.get("onHostMaintenance", "MIGRATE" if not (kind or {}).get("gpus") else "")
    limited = bool(scheduling.get("maxRunDuration") or scheduling.get("terminationTime"))
    gpus = bool((kind or {}).get("gpus") or properties.get("guestAccelerators"))
    if (gpus or model != "STANDARD") and host == "MIGRATE":
        raise bad_scheduling("onHostMaintenance", "MIGRATE", f"Instances with {'guest accelerators' if gpus else model} do not support live migration.")
    if not gpus and model == "STANDARD":
        if scheduling.get("onHostMaintenance") == "MIGRATE" and re.fullmatch(ONLY_STOP, machine):
            raise bad_scheduling("onHostMaintenance", host, f"{machine} instances do not support live migration.")
        if host == "TERMINATE" and re.fullmatch(ONLY_MOVE, machine) and not re.fullmatch(ONLY_STOP, machine):
            raise bad_scheduling("onHostMaintenance", host, f"{machine} instances can only live migrate.")
    if model in ("SPOT", "FLEX_START") and scheduling.get("automaticRestart", model != "SPOT" and "automaticRestart" in scheduling):
        raise bad_scheduling("automaticRestart", True, f"Automatic restart cannot be used with {model}.")
    if scheduling.get("preemptible") and model != "SPOT" and scheduling.get("provisioningModel"):
        raise bad_scheduling("preemptible", True, f"preemptible cannot be used with {model}.")
    if action and model == "STANDARD" and not limited:
        raise bad_scheduling("instanceTerminationAction", action, "You cannot specify a termination action for a VM instance that has the standard "
                             "provisioning model (default) and no limit of its run time.")
    if limited and model != "FLEX_START" and not action:
        raise bad_scheduling("instanceTerminationAction", "", "Must be specified with a limit of the run time.")
    check_duration(scheduling)
    if model == "FLEX_START":
        check_flex_start(scheduling, action, affinity, gpus)
    if model == "RESERVATION_BOUND":
        if affinity != "SPECIFIC_RESERVATION":
            raise bad_scheduling("provisioningModel", model, "Reservation bound instances must target a specific reservation.")
        if action not in ("DELETE", "STOP"):
            raise bad_scheduling("instanceTerminationAction", action or "", "Must be specified for reservation bound instances.")
    if model == "SPOT" and affinity == "SPECIFIC_RESERVATION":
        raise bad_scheduling("provisioningModel", model, "Spot instances cannot consume a reservation.")


def check_duration(scheduling):
    seconds = int((scheduling.get("maxRunDuration") or {}).get("seconds") or 30)
    if not 30 <= seconds <= 120 * 24 * 3600:
        raise bad_scheduling("maxRunDuration", seconds, "Must be between 30 seconds and 120 days.")


def check_flex_start(scheduling, action, affinity, gpus):
    if action != "DELETE":
        raise bad_scheduling("instanceTerminationAction", action or "", "Must be DELETE for flex-start instances.")
    seconds = int((scheduling.get("maxRunDuration") or {}).get("seconds") or 0)
    if not SHORTEST_FLEX_START <= seconds <= LONGEST_FLEX_START:
        raise bad_scheduling("maxRunDuration", seconds or "", "Flex-start instances run for ten minutes to seven days, and need a limit.")
    if affinity != "NO_RESERVATION":
        raise Refusal(400, "Flex-start instances must have reservation affinity NO_RESERVATION.", "invalid")


def bad_scheduling(field, value, why):
    return invalid(f"resource.scheduling.{field}", value, why)


def check_machine(compute, path, resource):
    """A machine in its zone: what it refers to has to exist, and what it is has to be possible."""
    zone = part(path, "zones")
    check_zone(zone)
    machine = name_of(resource.get("machineType") or "")
    if machine_type(machine) is None:
        raise invalid("resource.machineType", resource.get("machineType", ""), f"Machine type with name '{machine}' does not exist in zone '{zone}'.")
    check_disks(resource, "resource.disks")
    check_attached(compute, path, resource, machine)
    check_interfaces(compute, path, resource)
    check_labels("resource.labels", resource.get("labels", {}))
    check_tags(resource.get("tags", {}))
    check_metadata("resource.metadata", resource.get("metadata", {}))
    check_scheduling(resource, machine)
    check_cpus(resource, machine)
    for policy in resource.get("resourcePolicies", []):
        referenced(compute, "resource.resourcePolicies", policy if "/" in policy else f"projects/{part(path, 'projects')}/regions/{region_of(zone)}"
                   f"/resourcePolicies/{policy}", path)
    check_reservation(compute, path, resource, machine)


RDMA = {"roce": "MRDMA", "falcon": "IRDMA"}


def check_profile(network, row, field, path):
    """Whether a network has an RDMA profile; several interfaces of a machine can be in such a network.
    https://docs.cloud.google.com/vpc/docs/rdma-network-profiles"""
    profile = re.fullmatch(r"(.+)-vpc-(roce|falcon)(-metal)?", name_of(network.get("networkProfile", "")))
    wanted, kind = RDMA[profile[2]] if profile else "", row.get("nicType", "")
    if kind != wanted and (profile or kind in RDMA.values()):
        raise invalid(f"{field}.nicType", kind, f"The network '{network['name']}' has {wanted or 'no RDMA'} interfaces.")
    if profile and part(path, "zones") != profile[1]:
        raise invalid(f"{field}.network", row["network"], f"The network's profile is of zone {profile[1]}.")
    return bool(profile)


def check_interfaces(compute, path, resource):
    if not resource.get("networkInterfaces"):
        raise missing("resource.networkInterfaces")
    networks = []
    for number, row in enumerate(resource["networkInterfaces"]):
        field = f"resource.networkInterfaces[{number}]"
        if row.get("subnetwork"):
            found = referenced(compute, f"{field}.subnetwork", row["subnetwork"], path)
            if part(found, "regions") != region_of(part(path, "zones")):
                raise invalid(f"{field}.subnetwork", row["subnetwork"], "The subnetwork is not in the region of the instance's zone.")
            row["network"], row["subnetwork"] = compute.need(found)["network"], link(found)
        else:
            network = referenced(compute, f"{field}.network", row.get("network") or "global/networks/default", path)
            if not compute.need(network).get("autoCreateSubnetworks", True):
                raise invalid(f"{field}.subnetwork", "", "A network in custom subnet mode needs a subnetwork.")
            row["network"] = link(network)
        if not check_profile(compute.need(path_of(row["network"])), row, field, path):
            networks.append(path_of(row["network"]))
    if len(networks) != len(set(networks)):
        raise Refusal(400, "Invalid value for field 'resource.networkInterfaces': ''. Networks must be distinct for NICs attached to a VM.", "invalid")


def check_cpus(resource, machine):
    features, kind = resource.get("advancedMachineFeatures") or {}, machine_type(machine)
    threads, cores = features.get("threadsPerCore"), features.get("visibleCoreCount")
    if threads is not None and re.fullmatch(FIXED_THREADS, machine):
        raise invalid("resource.advancedMachineFeatures.threadsPerCore", threads, f"The threads per core of {machine} cannot be set.")
    if threads is not None and not 1 <= threads <= kind["threads"]:
        raise invalid("resource.advancedMachineFeatures.threadsPerCore", threads, f"{machine} has {kind['threads']} threads per core.")
    if cores is not None and not 1 <= cores <= kind["vcpus"] // kind["threads"]:
        raise invalid("resource.advancedMachineFeatures.visibleCoreCount", cores, f"{machine} has {kind['vcpus'] // kind['threads']} cores.")


def check_reservation(compute, path, resource, machine):
    """A specific reservation has to exist, and be of the machine's type; dense ones, and those of a calendar, are for reservation bound
    machines with the reservation's policies."""
    affinity = resource.get("reservationAffinity") or {}
    if affinity.get("consumeReservationType") != "SPECIFIC_RESERVATION":
        if affinity.get("key") or affinity.get("values"):
            raise invalid("resource.reservationAffinity", affinity, "Only SPECIFIC_RESERVATION has key and values.")
        return
    if affinity.get("key") != "compute.googleapis.com/reservation-name" or len(affinity.get("values", [])) != 1:
        raise invalid("resource.reservationAffinity", affinity, "Needs the key compute.googleapis.com/reservation-name and one value.")
    reservation = compute.need_reservation(path, affinity["values"][0])
    wanted = name_of(reservation["specificReservation"]["instanceProperties"]["machineType"])
    if wanted != machine:
        raise Refusal(400, f"Specified reservation '{reservation['name']}' is for {wanted}, the instance is a {machine}.", "badRequest")
    bound = (resource.get("scheduling") or {}).get("provisioningModel") == "RESERVATION_BOUND"
    dense = reservation.get("deploymentType") == "DENSE" or reservation.get("commitment") or reservation.get("deleteAtTime")
    if dense and not bound:
        raise Refusal(400, f"Reservation '{reservation['name']}' needs instances with the provisioning model RESERVATION_BOUND.", "badRequest")
    for policy in (reservation.get("resourcePolicies") or {}).values():
        if name_of(policy) not in [name_of(one) for one in resource.get("resourcePolicies", [])] and not dense:
            raise Refusal(400, f"Instances of reservation '{reservation['name']}' need its resource policy '{name_of(policy)}'.", "badRequest")
