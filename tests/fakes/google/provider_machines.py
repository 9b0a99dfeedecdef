"""What Terraform's provider sends for machines and their templates."""
import re

from links import name_of


def one(value):
    """A block, which Terraform's JSON has as an object or a list with one."""
    return (value[0] if value else None) if isinstance(value, list) else value


def many(value):
    return value if isinstance(value, list) else [] if value is None else [value]


def camel(name):
    return re.sub(r"_(\w)", lambda letter: letter[1].upper(), name)


def without_nothing(value):
    return {key: inner for key, inner in value.items() if inner not in (None, [], {})}


def subnetwork_of(row, body):
    """A subnetwork by its name is in the template's region, or that of the machine's zone."""
    region = body.get("region") or body.get("zone", "").rsplit("-", 1)[0]
    return f"projects/{row.get('subnetwork_project') or body['project']}/regions/{region}/subnetworks/{row['subnetwork']}"


def interface(row, body):
    made = {camel(key): row[key] for key in ("network", "subnetwork", "subnetwork_project", "nic_type", "stack_type", "queue_count", "network_attachment")
            if row.get(key) is not None}
    made.pop("subnetworkProject", None)
    if made.get("subnetwork") and "/" not in made["subnetwork"]:
        made["subnetwork"] = subnetwork_of(row, body)
    if row.get("network_ip"):
        made["networkIP"] = row["network_ip"]
    if row.get("access_config"):
        made["accessConfigs"] = [without_nothing({"type": "ONE_TO_ONE_NAT", "natIP": access.get("nat_ip"), "networkTier": access.get("network_tier")})
                                 for access in many(row["access_config"])]
    if row.get("alias_ip_range"):
        made["aliasIpRanges"] = [{camel(key): inner for key, inner in alias.items() if inner is not None} for alias in many(row["alias_ip_range"])]
    return made


def scheduling(row):
    row = one(row) or {}
    made = {camel(key): row[key] for key in ("automatic_restart", "instance_termination_action", "on_host_maintenance", "preemptible", "provisioning_model",
                                             "min_node_cpus") if row.get(key) is not None}
    duration = one(row.get("max_run_duration"))
    if duration:
        made["maxRunDuration"] = {"seconds": str(duration["seconds"])}
    return made


def affinity(row):
    row = one(row)
    if not row:
        return None
    specific = one(row.get("specific_reservation"))
    return {"consumeReservationType": row["type"], **({"key": specific["key"], "values": specific["values"]} if specific else {})}


def common(body):
    """What templates and machines have in common."""
    features = one(body.get("advanced_machine_features")) or {}
    account = one(body.get("service_account"))
    shielded = one(body.get("shielded_instance_config"))
    performance = one(body.get("network_performance_config"))
    startup = {"startup-script": body["metadata_startup_script"]} if body.get("metadata_startup_script") else {}
    metadata = {**(body.get("metadata") or {}), **startup}
    confidential = one(body.get("confidential_instance_config"))
    return without_nothing({
        "networkInterfaces": [interface(row, body) for row in many(body.get("network_interface"))], "canIpForward": body.get("can_ip_forward"),
        "labels": body.get("labels"), "scheduling": scheduling(body.get("scheduling")), "reservationAffinity": affinity(body.get("reservation_affinity")),
        "tags": {"items": body["tags"]} if body.get("tags") else None, "minCpuPlatform": body.get("min_cpu_platform"),
        "metadata": {"items": [{"key": key, "value": str(value)} for key, value in sorted(metadata.items())]} if metadata else None,
        "serviceAccounts": [{"email": account.get("email") or "default", "scopes": list(account["scopes"])}] if account else None,
        "advancedMachineFeatures": {camel(key): inner for key, inner in features.items() if inner is not None},
        "guestAccelerators": [{"acceleratorType": row["type"], "acceleratorCount": row["count"]} for row in many(body.get("guest_accelerator"))],
        "resourcePolicies": body.get("resource_policies"),
        "shieldedInstanceConfig": {camel(key): inner for key, inner in shielded.items() if inner is not None} if shielded else None,
        "networkPerformanceConfig": {"totalEgressBandwidthTier": performance["total_egress_bandwidth_tier"]} if performance else None,
        "confidentialInstanceConfig": {camel(key): inner for key, inner in confidential.items() if inner is not None} if confidential else None})


def template_disk(row):
    made = {"autoDelete": row.get("auto_delete", True), "boot": bool(row.get("boot")), "type": row.get("type") or "PERSISTENT",
            "mode": row.get("mode") or "READ_WRITE"}
    if row.get("device_name"):
        made["deviceName"] = row["device_name"]
    if row.get("interface"):
        made["interface"] = row["interface"]
    if row.get("source"):
        return {**made, "source": row["source"]}
    made["initializeParams"] = without_nothing({"diskType": row.get("disk_type"), "diskName": row.get("disk_name"), "labels": row.get("labels"),
                                                "sourceImage": row.get("source_image"), "diskSizeGb": str(row["disk_size_gb"]) if row.get("disk_size_gb") else None,
                                                "resourceManagerTags": row.get("resource_manager_tags")})
    return made


def template_body(body):
    disks = [template_disk(row) for row in many(body["disk"])]
    if not any(disk["boot"] for disk in disks):
        disks[0]["boot"] = True
    made = {"properties": {**common(body), "machineType": body["machine_type"], "disks": disks,
                           "scheduling": {"automaticRestart": True, **scheduling(body.get("scheduling"))}}}
    if body.get("instance_description") or body.get("description"):
        made["description"] = body.get("description") or ""
    return made


def machine_requests(body):
    """The body and the query of instances.insert. With a template, the request has only what the definition sets over it; the labels
    of the provider replace all of the template's."""
    zone = f"projects/{body['project']}/zones/{body['zone']}"
    made = {"name": body["name"], **common(body), "labels": {"goog-terraform-provisioned": "true", **(body.get("labels") or {})}}
    if body.get("machine_type"):
        made["machineType"] = f"{zone}/machineTypes/{name_of(body['machine_type'])}"
    attached = [{"source": row["source"], "mode": row.get("mode") or "READ_WRITE", **({"deviceName": row["device_name"]} if row.get("device_name") else {})}
                for row in many(body.get("attached_disk"))]
    template = body.get("source_instance_template")
    if template:
        return ({**made, "//attached": attached} if attached else made), {"sourceInstanceTemplate": template}
    boot = one(body["boot_disk"])
    made["disks"] = [boot_disk(boot, zone)] + [scratch(row, zone) for row in many(body.get("scratch_disk"))] + attached
    return made, {}


def boot_disk(boot, zone):
    made = {"boot": True, "autoDelete": boot.get("auto_delete", True), "mode": "READ_WRITE"}
    if boot.get("source"):
        return {**made, "source": boot["source"]}
    params = one(boot.get("initialize_params")) or {}
    made["initializeParams"] = without_nothing({"sourceImage": params.get("image"), "diskSizeGb": str(params["size"]) if params.get("size") else None,
                                                "diskType": f"{zone}/diskTypes/{params['type']}" if params.get("type") else None, "labels": params.get("labels")})
    return made


def scratch(row, zone):
    return {"type": "SCRATCH", "autoDelete": True, "interface": row.get("interface", "NVME"), "initializeParams": {"diskType": f"{zone}/diskTypes/local-ssd"}}


def machine_attributes(found):
    nics = [{"network_ip": row["networkIP"], "name": row["name"]} for row in found["networkInterfaces"]]
    return {"network_interface": nics, "instance_id": found["id"], "labels": found.get("labels", {})}
