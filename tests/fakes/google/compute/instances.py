"""Machines: made, changed, stopped, started, and taken away."""
import copy, json, pathlib, re

from compute import collections, machine_rules, rules
from compute.operations import timestamp
from errors import Refusal, exists, invalid, missing, not_found
from links import check_name, link, name_of, part, path_of, region_of

HERE = pathlib.Path(__file__).resolve().parent
PUBLIC_IMAGES = json.loads((HERE / "images.json").read_text())["projects"]
PLACEMENT = json.loads((HERE / "placement.json").read_text())["limits"]
STOPPED = ("TERMINATED", "STOPPED", "SUSPENDED")


class Instances:
    def __init__(self, compute):
        self.compute, self.cloud = compute, compute.cloud
        compute.need_reservation = self.need_reservation

    # making

    def instances_insert(self, call):
        template = call.query.get("sourceInstanceTemplate")
        body = self.from_template(template, call.body, call.params["project"]) if template else call.body
        name = body.get("name")
        if not name:
            raise missing("resource.name")
        check_name("resource.name", name)
        path = f"{call.place}/instances/{name}"
        if self.cloud.get("compute", path):
            raise exists(path)
        resource = self.complete(path, body)
        self.check(path, resource, call.caller)
        reason = self.no_room(path, resource)
        if reason:
            return self.compute.operations.start(call.place, "insert", path, call.caller, lambda: [reason])
        self.use_room(path)
        self.cloud.put("compute", path, resource)
        return self.compute.operations.start(call.place, "insert", path, call.caller, lambda: self.is_up(path))

    def from_template(self, template, over, project):
        """A template's properties, with a request's on top: what the request has replaces the template's whole field."""
        found = self.cloud.get("compute", path_of(template, project))
        if found is None:
            raise not_found(path_of(template, project))
        return {**copy.deepcopy(found["properties"]), **{key: value for key, value in over.items() if value is not None}}

    def complete(self, path, body):
        """A machine as the API shows it: links instead of names, its disks, an address for each interface."""
        project, zone = part(path, "projects"), part(path, "zones")
        resource = self.compute.made(path, "instances", {key: value for key, value in body.items() if key != "description"})
        resource["name"] = name_of(path)
        resource["machineType"] = link(f"projects/{project}/zones/{zone}/machineTypes/{name_of(body.get('machineType') or '')}")
        resource.update(status="PROVISIONING", cpuPlatform="Intel Sapphire Rapids", lastStartTimestamp=timestamp(self.cloud.clock()))
        resource["scheduling"] = self.scheduling(body.get("scheduling") or {}, resource["machineType"])
        resource["metadata"] = {"kind": "compute#metadata", "fingerprint": collections.fingerprint(body.get("metadata", {})), **body.get("metadata", {})}
        resource["tags"] = {"fingerprint": collections.fingerprint(body.get("tags", {})), **body.get("tags", {})}
        resource["fingerprint"] = collections.fingerprint(resource["name"])
        number = self.next_number()
        for index, row in enumerate(resource.get("networkInterfaces") or []):
            row.setdefault("name", f"nic{index}")
            row["networkIP"] = row.get("networkIP") or (f"10.0.{number // 250}.{number % 250 + 2}" if index == 0 else
                                                       f"10.{100 + index}.{number // 250}.{number % 250 + 2}")
            row["fingerprint"] = collections.fingerprint([path, index])
        return resource

    @staticmethod
    def scheduling(given, machine):
        model = given.get("provisioningModel") or ("SPOT" if given.get("preemptible") else "STANDARD")
        made = {"automaticRestart": model in ("STANDARD", "RESERVATION_BOUND"), "provisioningModel": model, **given}
        made.setdefault("onHostMaintenance", "TERMINATE" if model != "STANDARD" else "MIGRATE")
        made["preemptible"] = model == "SPOT"
        return made

    def next_number(self):
        file = self.cloud.folder / "next"
        number = int(file.read_text()) if file.exists() else 0
        file.write_text(str(number + 1))
        return number

    def check(self, path, resource, caller):
        project, project_path = part(path, "projects"), f"projects/{part(path, 'projects')}"
        machine_rules.check_machine(self.compute, path, resource)
        require = self.cloud.rights.require
        require(caller, "compute.disks.create", project_path)
        for row in resource["networkInterfaces"]:
            if row.get("subnetwork"):
                owner = f"projects/{part(path_of(row['subnetwork']), 'projects')}"
                require(caller, "compute.subnetworks.use", owner)
        for account in resource.get("serviceAccounts", []):
            self.cloud.services["iam"].may_act_as(caller, account["email"], project)
        for disk in resource["disks"]:
            self.check_disk(path, disk)

    def check_disk(self, path, disk):
        project, zone = part(path, "projects"), part(path, "zones")
        params = disk.get("initializeParams")
        if params is not None:
            self.compute.facts.disk("", zone, name_of(params.get("diskType") or "pd-standard"))
            if params.get("sourceImage"):
                params["sourceImage"] = link(self.image(params["sourceImage"], project))
            return
        found = path_of(disk["source"], project, f"zones/{zone}/disks")
        if self.cloud.get("compute", found) is None:
            raise not_found(found)
        if disk.get("mode", "READ_WRITE") == "READ_WRITE":
            for other, one in self.cloud.under("compute", found.split("/disks/")[0] + "/instances/"):
                if any(path_of(row.get("source", "")) == found for row in one["disks"]):
                    raise Refusal(400, f"The disk resource '{found}' is already being used by '{other}'", "RESOURCE_IN_USE_BY_ANOTHER_RESOURCE")
        disk["source"] = link(found)

    def image(self, text, project=""):
        """The path of an image that a name or a family means."""
        path = path_of(text, project, "global/images")
        owner, name, family = part(path, "projects"), name_of(path), "/family/" in path
        own = [(key, one) for key, one in self.cloud.under("compute", f"projects/{owner}/global/images/")
               if (one.get("family") if family else one["name"]) == name]
        if own:
            return own[-1][0]
        known = self.cloud.conditions.get("images")
        public = PUBLIC_IMAGES.get(owner)
        is_there = any(re.fullmatch(pattern, name) for pattern in public) if public is not None else known is None or f"{owner}/{name}" in known
        if not is_there:
            raise not_found(path)
        return f"projects/{owner}/global/images/{name}-v20260901" if family else path

    # room

    def no_room(self, path, resource, taken=0):
        """Why the cloud cannot make one more machine (code, message), or null. `taken`: made by the same request."""
        zone = part(path, "zones")
        over = self.compute.facts.over_quota(f"projects/{part(path, 'projects')}", zone, resource)
        if over:
            return over
        reason = self.no_room_in_reservation(path, resource) or self.no_room_in_policy(path, resource)
        if reason:
            return reason
        room = self.cloud.conditions.stock().get(zone)
        if isinstance(room, str):
            return room, self.words(room, zone)
        if room is not None and room <= taken:
            return "ZONE_RESOURCE_POOL_EXHAUSTED", self.words("ZONE_RESOURCE_POOL_EXHAUSTED", zone)
        return None

    @staticmethod
    def words(code, zone):
        from conditions import STOCK_WORDS
        return STOCK_WORDS.get(code, "The request failed.").format(zone=zone, region=region_of(zone))

    def use_room(self, path, count=1):
        if isinstance(self.cloud.conditions.stock().get(part(path, "zones")), int):
            self.cloud.conditions.use_stock(part(path, "zones"), count)

    def need_reservation(self, path, value):
        name = name_of(value.split("/reservationBlocks/")[0])
        owner = part(value, "projects") or part(path, "projects")
        found = self.cloud.get("compute", f"projects/{owner}/zones/{part(path, 'zones')}/reservations/{name}")
        if found is None:
            raise Refusal(400, f"Could not find reservation '{name}' in zone '{part(path, 'zones')}'.", "invalid")
        return found

    def in_reservation(self, path):
        return sum(1 for other, one in self.cloud.under("compute", path.split("/reservations/")[0] + "/instances/")
                   if name_of(path) in [name_of(value) for value in (one.get("reservationAffinity") or {}).get("values", [])]
                   and one["status"] not in STOPPED)

    def no_room_in_reservation(self, path, resource):
        values = (resource.get("reservationAffinity") or {}).get("values", [])
        if not values:
            return None
        reservation = self.need_reservation(path, values[0])
        used = self.in_reservation(path_of(reservation["selfLink"]))
        if used < int(reservation["specificReservation"]["count"]):
            return None
        return "RESERVATION_CAPACITY_EXCEEDED", f"Specified reservation '{reservation['name']}' does not have available resources for the request."

    def no_room_in_policy(self, path, resource):
        for policy in resource.get("resourcePolicies", []):
            name = name_of(policy)
            found = self.compute.need(f"projects/{part(path, 'projects')}/regions/{region_of(part(path, 'zones'))}/resourcePolicies/{name}")
            placement = found.get("groupPlacementPolicy")
            if not placement or placement.get("collocation") != "COLLOCATED":
                continue
            others = [other for other, one in self.cloud.under("compute", f"projects/{part(path, 'projects')}/zones/")
                      if "/instances/" in other and name in [name_of(mine) for mine in one.get("resourcePolicies", [])]]
            if any(part(other, "zones") != part(path, "zones") for other in others):
                return "INVALID_USAGE", f"The instances of the compact placement policy '{name}' must be in one zone."
            if len(others) >= self.most_in_policy(placement, name_of(resource["machineType"])):
                return "RESOURCE_POLICY_LIMIT_EXCEEDED", f"The compact placement policy '{name}' has as many instances as it can have."
        return None

    @staticmethod
    def most_in_policy(placement, machine):
        limit = next((row["by_distance"][str(placement.get("maxDistance") or "null")] for row in PLACEMENT if re.fullmatch(row["machines"], machine)), 0)
        return min(limit, placement.get("vmCount") or limit)

    # life

    def is_up(self, path):
        """A machine that was requested has its disks and runs, unless it was deleted meanwhile."""
        resource = self.cloud.get("compute", path)
        if resource is None:
            return
        place = path.split("/instances/")[0]
        for number, disk in enumerate(resource["disks"]):
            if "initializeParams" in disk:
                params = disk.pop("initializeParams")
                if disk.get("type") == "SCRATCH":
                    continue
                name = params.get("diskName") or (resource["name"] if disk.get("boot") else f"{resource['name']}-{number}")
                kind = name_of(params.get("diskType") or "pd-standard")
                body = {"name": name, "type": link(f"{place}/diskTypes/{kind}"), "sizeGb": str(params.get("diskSizeGb") or 10),
                        "labels": params.get("labels", {}), **({"sourceImage": params["sourceImage"]} if params.get("sourceImage") else {})}
                self.cloud.put("compute", f"{place}/disks/{name}", self.compute.made(f"{place}/disks/{name}", "disks", body))
                disk.update(source=link(f"{place}/disks/{name}"), diskSizeGb=body["sizeGb"])
            disk.setdefault("deviceName", f"persistent-disk-{number}")
            disk.setdefault("mode", "READ_WRITE")
        resource["status"] = "RUNNING"
        resource.setdefault("resourceStatus", {})["physicalHost"] = self.host_of(resource)
        self.cloud.put("compute", path, resource)

    @staticmethod
    def host_of(resource):
        """Where a machine with GPUs runs: /BLOCK/SUB-BLOCK/HOST. Machines of one placement policy are near each other."""
        number = int(resource["id"])
        group = sum(ord(letter) for letter in name_of((resource.get("resourcePolicies") or [resource["machineType"]])[0])) % 16
        return f"/{group:032x}/{group * 7 % 5:032x}/{number % 2**64:032x}"

    def do_stop(self, call, verb, status):
        resource = self.compute.need(call.path)
        if resource["status"] in STOPPED:
            return self.compute.operations.start(call.place, verb, call.path, call.caller)
        self.set_status(call.path, "SUSPENDING" if status == "SUSPENDED" else "STOPPING")
        return self.compute.operations.start(call.place, verb, call.path, call.caller, lambda: self.set_status(call.path, status),
                                             seconds=self.cloud.conditions.get("stop_seconds", 0))

    def instances_stop(self, call):
        if "local-ssd" in json.dumps(self.compute.need(call.path)["disks"]) and call.query.get("discardLocalSsd") != "true":
            raise Refusal(400, "VM has a Local SSD attached but an undefined value for `discard-local-ssd`.", "badRequest")
        return self.do_stop(call, "stop", "TERMINATED")

    def instances_suspend(self, call):
        return self.do_stop(call, "suspend", "SUSPENDED")

    def instances_start(self, call):
        resource = self.compute.need(call.path)
        if resource["status"] in ("STOPPING", "SUSPENDING"):
            raise Refusal(400, f"The resource '{call.path}' is not ready", "resourceNotReady")
        reason = self.no_room(call.path, resource) if resource["status"] in STOPPED else None
        if reason:
            return self.compute.operations.start(call.place, "start", call.path, call.caller, lambda: [reason])
        return self.compute.operations.start(call.place, "start", call.path, call.caller, lambda: self.set_status(call.path, "RUNNING"))

    instances_resume = instances_start

    def instances_reset(self, call):
        self.compute.need(call.path)
        return self.compute.operations.start(call.place, "reset", call.path, call.caller)

    def set_status(self, path, status):
        resource = self.cloud.get("compute", path)
        if resource is not None:
            resource["status"] = status
            self.cloud.put("compute", path, resource)

    def instances_delete(self, call):
        resource = self.compute.need(call.path)
        if resource.get("deletionProtection"):
            raise Refusal(400, f"Invalid value for field 'resource.deletionProtection': 'true'. '{call.path}' is protected.", "invalid")
        seconds = self.cloud.conditions.get("delete_seconds", self.cloud.conditions.get("operation_seconds", 0))
        if seconds:
            self.set_status(call.path, "STOPPING")
        return self.compute.operations.start(call.place, "delete", call.path, call.caller, lambda: self.vanished(call.path), seconds=seconds)

    def vanished(self, path):
        """Removes a machine, with the disks that go with it."""
        resource = self.cloud.remove("compute", path)
        for disk in (resource or {}).get("disks", []):
            if disk.get("autoDelete") and disk.get("source"):
                self.cloud.remove("compute", path_of(disk["source"]))

    def preempt(self, names):
        """Takes Spot machines away, as their termination action says."""
        for path, one in self.cloud.under("compute", "projects/") if names else ():
            if "/instances/" in path and one["name"] in names and one["scheduling"].get("preemptible") and one["status"] == "RUNNING":
                self.cloud.put("compute", f"{path.split('/instances/')[0]}/operations/preempted-{one['id']}", {
                    "name": f"preempted-{one['id']}", "operationType": "compute.instances.preempted", "status": "DONE", "targetLink": link(path),
                    "selfLink": link(f"{path.split('/instances/')[0]}/operations/preempted-{one['id']}"), "user": "system"})
                if one["scheduling"].get("instanceTerminationAction") == "DELETE":
                    self.vanished(path)
                else:
                    self.set_status(path, "TERMINATED")

    # changes

    def instances_setLabels(self, call):
        return self.compute.do_setLabels(call)

    def instances_setMetadata(self, call):
        resource = self.compute.need(call.path)
        if call.body.get("fingerprint") != resource["metadata"].get("fingerprint"):
            raise Refusal(412, "Supplied fingerprint does not match current metadata fingerprint.", "conditionNotMet")
        resource["metadata"] = {**call.body, "fingerprint": collections.fingerprint(call.body)}
        return self.changed(call, "setMetadata", resource)

    def instances_setTags(self, call):
        resource = self.compute.need(call.path)
        machine_rules.check_tags(call.body)
        if call.body.get("fingerprint") != resource["tags"].get("fingerprint"):
            raise Refusal(412, "Supplied fingerprint does not match current tags fingerprint.", "conditionNotMet")
        resource["tags"] = {**call.body, "fingerprint": collections.fingerprint(call.body)}
        return self.changed(call, "setTags", resource)

    def changed(self, call, kind, resource):
        self.cloud.put("compute", call.path, resource)
        return self.compute.operations.start(call.place, kind, call.path, call.caller)

    def stopped(self, call):
        resource = self.compute.need(call.path)
        if resource["status"] not in STOPPED:
            raise Refusal(400, f"Instance is starting or running: stop '{call.path}' first.", "badRequest")
        return resource

    def instances_setMachineType(self, call):
        resource = self.stopped(call)
        changed = {**resource, "machineType": call.body.get("machineType", "")}
        machine_rules.check_machine(self.compute, call.path, copy.deepcopy(changed))
        resource["machineType"] = link(path_of(call.body["machineType"], call.params["project"]))
        return self.changed(call, "setMachineType", resource)

    def instances_setServiceAccount(self, call):
        resource = self.stopped(call)
        if call.body.get("email"):
            self.cloud.services["iam"].may_act_as(call.caller, call.body["email"], call.params["project"])
        resource["serviceAccounts"] = [call.body] if call.body.get("email") else []
        return self.changed(call, "setServiceAccount", resource)

    def instances_setScheduling(self, call):
        resource = self.compute.need(call.path)
        changed = {**resource, "scheduling": {**resource["scheduling"], **call.body}}
        machine_rules.check_scheduling(changed, name_of(resource["machineType"]))
        resource["scheduling"] = changed["scheduling"]
        return self.changed(call, "setScheduling", resource)

    def instances_setDeletionProtection(self, call):
        resource = self.compute.need(call.path)
        resource["deletionProtection"] = call.query.get("deletionProtection", "true") == "true"
        return self.changed(call, "setDeletionProtection", resource)

    def instances_attachDisk(self, call):
        resource = self.compute.need(call.path)
        disk = copy.deepcopy(call.body)
        if not disk.get("source"):
            raise missing("source")
        self.check_disk(call.path, disk)
        if disk.get("deviceName") in [one.get("deviceName") for one in resource["disks"]]:
            raise invalid("deviceName", disk.get("deviceName"), "The device name is in use.")
        resource["disks"].append(disk)
        return self.changed(call, "attachDisk", resource)

    def instances_detachDisk(self, call):
        resource = self.compute.need(call.path)
        resource["disks"] = [one for one in resource["disks"] if one.get("deviceName") != call.query.get("deviceName")]
        return self.changed(call, "detachDisk", resource)

    def instances_addResourcePolicies(self, call):
        resource = self.compute.need(call.path)
        for policy in call.body.get("resourcePolicies", []):
            resource.setdefault("resourcePolicies", []).append(link(rules.referenced(self.compute, "resourcePolicies", policy, call.path)))
        return self.changed(call, "addResourcePolicies", resource)

    def instances_removeResourcePolicies(self, call):
        resource = self.compute.need(call.path)
        gone = {name_of(policy) for policy in call.body.get("resourcePolicies", [])}
        resource["resourcePolicies"] = [one for one in resource.get("resourcePolicies", []) if name_of(one) not in gone]
        return self.changed(call, "removeResourcePolicies", resource)

    # maintenance

    def instances_simulateMaintenanceEvent(self, call):
        """A notice, as for host maintenance in some days."""
        self.compute.need(call.path)
        self.announce(call.path, self.cloud.clock() + 24 * 3600)
        return self.compute.operations.start(call.place, "simulateMaintenanceEvent", call.path, call.caller)

    def announce(self, path, start):
        resource = self.compute.need(path)
        resource.setdefault("resourceStatus", {})["upcomingMaintenance"] = {
            "type": "SCHEDULED", "maintenanceStatus": "PENDING", "canReschedule": True, "windowStartTime": timestamp(start),
            "windowEndTime": timestamp(start + 4 * 3600), "latestWindowStartTime": timestamp(start + 24 * 3600)}
        self.cloud.put("compute", path, resource)

    def instances_performMaintenance(self, call):
        resource = self.compute.need(call.path)
        if "upcomingMaintenance" not in resource.get("resourceStatus", {}):
            raise Refusal(400, f"No maintenance is pending for '{call.path}'.", "badRequest")
        self.set_status(call.path, "STOPPING")

        def done():
            resource["resourceStatus"].pop("upcomingMaintenance", None)
            self.set_status(call.path, "RUNNING")
        return self.compute.operations.start(call.place, "performMaintenance", call.path, call.caller, done,
                                             seconds=self.cloud.conditions.get("stop_seconds", 0))

    def instances_getSerialPortOutput(self, call):
        self.compute.need(call.path)
        return {"kind": "compute#serialPortOutput", "contents": "", "start": "0", "next": "0", "selfLink": link(call.path)}
