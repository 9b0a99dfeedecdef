"""Managed instance groups with resize requests, which is how Flex-start machines are made together.

https://docs.cloud.google.com/compute/docs/instance-groups/about-resize-requests-mig: a request waits in the cloud's line (ACCEPTED)
until there is room for all of its machines, and then all are made (SUCCEEDED); it lasts from 10 minutes to 7 days; a group goes with its
machines and requests. https://docs.cloud.google.com/compute/docs/instance-groups/working-with-managed-instances: a group makes a machine
again that was deleted without it, unless its policy for failures is DO_NOTHING.
"""
import copy

from compute import rules
from errors import Refusal, exists, invalid, missing
from links import check_name, link, name_of, part, path_of, region_of

SHORTEST, LONGEST = 600, 7 * 24 * 3600  # seconds
MOST = 1000  # machines of a zonal group: https://docs.cloud.google.com/compute/docs/instance-groups#types_of_managed_instance_groups
REASONS = ("ZONE_RESOURCE_POOL_EXHAUSTED", "ZONE_RESOURCE_POOL_EXHAUSTED_WITH_DETAILS", "QUOTA_EXCEEDED", "RESOURCE_OPERATION_RATE_EXCEEDED")


class Groups:
    def __init__(self, compute):
        self.compute, self.cloud = compute, compute.cloud

    # groups

    def instanceGroupManagers_insert(self, call):
        body = copy.deepcopy(call.body)
        if not body.get("name"):
            raise missing("resource.name")
        check_name("resource.name", body["name"])
        path = f"{call.place}/instanceGroupManagers/{body['name']}"
        if self.cloud.get("compute", path):
            raise exists(path)
        if body.get("targetSize") is None:
            raise missing("resource.targetSize")
        for row in body.get("versions") or [body]:
            row["instanceTemplate"] = link(rules.referenced(self.compute, "resource.instanceTemplate", row.get("instanceTemplate"), path))
        if body["targetSize"] != 0:
            raise Refusal(501, "the stand-in only makes machines of a group through resize requests")
        self.zones(path, body)
        self.cloud.put("compute", path, {**self.compute.made(path, "instanceGroupManagers", body), "status": {"isStable": True}})
        return self.compute.operations.start(call.place, "compute.instanceGroupManagers.insert", path, call.caller)

    def zones(self, path, group):
        """Where a group's machines may be."""
        if part(path, "zones"):
            return [part(path, "zones")]
        region, rows = part(path, "regions"), (group.get("distributionPolicy") or {}).get("zones", [])
        zones = [name_of(row["zone"]) for row in rows] or [f"{region}-{letter}" for letter in "abc"]
        for zone in zones:
            if region_of(zone) != region:
                raise invalid("resource.distributionPolicy.zones", zone, f"The zone is not in region {region}.")
        return zones

    def instanceGroupManagers_delete(self, call):
        self.compute.need(call.path)
        seconds = self.cloud.conditions.get("delete_seconds", self.cloud.conditions.get("operation_seconds", 0))
        for path, _ in self.members(call.path):
            self.compute.instances.set_status(path, "STOPPING")
        return self.compute.operations.start(call.place, "compute.instanceGroupManagers.delete", call.path, call.caller,
                                             lambda: self.vanish(call.path), seconds=seconds)

    def vanish(self, group):
        for path, _ in self.members(group):
            self.compute.instances.vanished(path)
        for path, _ in self.cloud.under("compute", f"{group}/resizeRequests/"):
            self.cloud.remove("compute", path)
        self.cloud.remove("compute", group)

    def instanceGroupManagers_listManagedInstances(self, call):
        self.compute.need(call.path)
        found = [{"id": one["id"], "instance": link(path), "name": one["name"], "instanceStatus": one["status"],
                  "currentAction": "DELETING" if one["status"] == "STOPPING" else "NONE"} for path, one in self.members(call.path)]
        from compute.service import paged
        page, more = paged(found, call.query)
        return {"managedInstances": page, **more} if page else {}

    def instanceGroupManagers_deleteInstances(self, call):
        self.compute.need(call.path)
        members, doomed = dict(self.members(call.path)), []
        for text in call.body.get("instances", []):
            path = path_of(text, call.params["project"])
            if path in members:
                doomed.append(path)
            elif not call.body.get("skipInstancesOnValidationError"):
                raise invalid("instances", text, "The instance is not a member of the group.")
        for path in doomed:
            self.compute.instances.set_status(path, "STOPPING")
        seconds = self.cloud.conditions.get("delete_seconds", self.cloud.conditions.get("operation_seconds", 0))

        def done():
            for path in doomed:
                self.compute.instances.vanished(path)
            self.resize(call.path)
        return self.compute.operations.start(call.place, "compute.instanceGroupManagers.deleteInstances", call.path, call.caller, done, seconds=seconds)

    def members(self, group):
        """(path, machine) of a group's machines."""
        return [(path, one) for path, one in self.cloud.under("compute", f"projects/{part(group, 'projects')}/zones/")
                if "/instances/" in path and group_of(one) == group]

    def resize(self, group):
        resource = self.cloud.get("compute", group)
        if resource:
            resource["targetSize"] = len(self.members(group))

    def deleted(self, path, machine):
        """A member was deleted without its group."""
        group = self.cloud.get("compute", group_of(machine))
        if group and (group.get("instanceLifecyclePolicy") or {}).get("defaultActionOnFailure") != "DO_NOTHING":
            self.make(path_of(group["selfLink"]), part(path, "zones"), [machine["name"]])

    # resize requests

    def resizeRequests_insert(self, call):
        group_path, body = call.place, copy.deepcopy(call.body)
        group = self.compute.need(group_path)
        if not body.get("name"):
            raise missing("resource.name")
        check_name("resource.name", body["name"])
        path = f"{group_path}/resizeRequests/{body['name']}"
        if self.cloud.get("compute", path):
            raise exists(path)
        names = [row.get("name", "") for row in body.get("instances", [])]
        if bool(names) == bool(body.get("resizeBy")):
            raise Refusal(400, "Exactly one of resizeBy and instances must be specified.", "invalid")
        for name in names:
            check_name("resource.instances.name", name)
        count = len(names) or body["resizeBy"]
        if len(self.members(group_path)) + count > MOST:
            raise invalid("resource.resizeBy", count, f"A group can have {MOST} machines.")
        self.check_duration(body, self.template(group))
        names = names or [f"{group.get('baseInstanceName', group['name'])}-{self.cloud.new_id()[-4:]}" for _ in range(count)]
        resource = self.cloud.put("compute", path, {**self.compute.made(path, "resizeRequests", body), "resizeBy": count, "state": "CREATING"})
        resource["kind"] = "compute#instanceGroupManagerResizeRequest"

        def accepted():
            resource["state"] = "ACCEPTED"
            self.cloud.at(self.cloud.conditions.get("flex_seconds", 0), lambda: self.attempt(path, group_path, names))
        return self.compute.operations.start(call.scope, "compute.instanceGroupManagerResizeRequests.insert", path, call.caller, accepted)

    def check_duration(self, body, properties):
        given = body.get("requestedRunDuration") or (properties.get("scheduling") or {}).get("maxRunDuration")
        if given is None:
            raise missing("resource.requestedRunDuration")
        if not SHORTEST <= int(given.get("seconds", 0)) <= LONGEST:
            raise invalid("resource.requestedRunDuration.seconds", given.get("seconds"), f"Must be between {SHORTEST} and {LONGEST}.")

    def template(self, group):
        row = (group.get("versions") or [group])[0]
        return self.compute.need(path_of(row["instanceTemplate"]))["properties"]

    def attempt(self, path, group_path, names):
        """Makes all of a request's machines, or waits on in the line."""
        request, group = self.cloud.get("compute", path), self.cloud.get("compute", group_path)
        if request is None or group is None or request["state"] != "ACCEPTED":
            return
        reasons = []
        for zone in self.zones(group_path, group):
            try:
                reason = self.make(group_path, zone, names)
            except Refusal as refusal:
                reason = "INVALID_USAGE", refusal.message
            if reason is None:
                request.update(state="SUCCEEDED", status={})
                self.resize(group_path)
                return
            reasons.append(reason)
        error = {"error": {"errors": [{"code": code, "message": message} for code, message in reasons]}}
        if any(code in REASONS for code, _ in reasons):
            request["status"] = {"lastAttempt": error}
            self.cloud.at(1, lambda: self.attempt(path, group_path, names))
        else:
            request.update(state="FAILED", status=error)

    def make(self, group, zone, names):
        """Makes all machines in a zone, or none; gives the reason (code, message)."""
        instances, made = self.compute.instances, []
        body = {**copy.deepcopy(self.template(self.compute.need(group)))}
        items = [*body.get("metadata", {}).get("items", []), {"key": "created-by", "value": group}]
        body["metadata"] = {**body.get("metadata", {}), "items": items}
        for name in names:
            path = f"projects/{part(group, 'projects')}/zones/{zone}/instances/{name}"
            resource = instances.complete(path, copy.deepcopy(body))
            reason = ("RESOURCE_ALREADY_EXISTS", f"The resource '{path}' already exists") if self.cloud.get("compute", path) else None
            if reason is None:
                from rights import OPERATOR  # the project's own agent makes them
                instances.check(path, resource, OPERATOR)
                reason = instances.no_room(path, resource)
            if reason:
                for other in made:
                    instances.vanished(other)
                if made:
                    instances.use_room(path, -len(made))
                return reason
            instances.use_room(path)
            self.cloud.put("compute", path, resource)
            made.append(path)
        for path in made:
            instances.is_up(path)
        return None

    def resizeRequests_cancel(self, call):
        request = self.compute.need(call.path)
        if request["state"] != "ACCEPTED":
            raise Refusal(400, f"The resize request is {request['state']} and cannot be canceled.", "invalid")
        request["state"] = "CANCELLED"
        return self.compute.operations.start(call.scope, "compute.instanceGroupManagerResizeRequests.cancel", call.path, call.caller)

    def resizeRequests_delete(self, call):
        request = self.compute.need(call.path)
        if request["state"] in ("CREATING", "ACCEPTED"):
            raise Refusal(400, f"The resize request is {request['state']} and cannot be deleted.", "invalid")
        return self.compute.operations.start(call.scope, "compute.instanceGroupManagerResizeRequests.delete", call.path, call.caller,
                                             lambda: self.cloud.remove("compute", call.path) and None)


def group_of(machine):
    """The path of the group that a machine belongs to; "" if none."""
    return next((item["value"] for item in machine.get("metadata", {}).get("items", []) if item["key"] == "created-by"), "")
