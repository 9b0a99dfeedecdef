"""What can be changed of a machine that exists."""
import copy

from compute import collections, machine_rules, rules
from compute.machine_life import STOPPED
from errors import Refusal, invalid, missing
from links import link, name_of, path_of


class Changes:
    """A part of Instances."""

    def instances_setLabels(self, call):
        return self.compute.do_setLabels(call)

    def instances_setMetadata(self, call):
        resource = self.compute.need(call.path)
        if call.body.get("fingerprint") != resource["metadata"].get("fingerprint"):
            raise Refusal(412, "Supplied fingerprint does not match current metadata fingerprint.", "conditionNotMet")
        machine_rules.check_metadata("resource", call.body)
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
