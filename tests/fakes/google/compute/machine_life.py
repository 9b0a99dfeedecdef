"""Machines that start, stop, are maintained, and go away."""
import json

from compute.operations import timestamp
from errors import Refusal
from links import link, name_of, path_of

STOPPED = ("TERMINATED", "STOPPED", "SUSPENDED")


class Life:
    """A part of Instances."""

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

        def done():
            self.vanished(call.path)
            self.compute.groups.deleted(call.path, resource)
        return self.compute.operations.start(call.place, "delete", call.path, call.caller, done, seconds=seconds)

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

    def maintained(self, path):
        resource = self.compute.need(path)
        resource["resourceStatus"].pop("upcomingMaintenance")
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
