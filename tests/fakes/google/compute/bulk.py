"""bulkInsert: many machines with one request, some of which the cloud may not make.

An operation `bulkInsert` ends without an error if at least minCount machines were made; why others were not is in operations `insert`
with the same operationGroupId. With fewer, its errors are VM_MIN_COUNT_NOT_REACHED and then the reasons, and nothing stays.
"""
import copy, re, uuid

from compute.operations import failed
from links import check_name, part, region_of
from errors import Refusal, invalid, missing


MOST = 5000  # https://docs.cloud.google.com/compute/docs/instances/multiple/about-bulk-creation#limitations
EACH = {"name", "hostname"}


class Bulk:
    def __init__(self, compute):
        self.compute, self.cloud = compute, compute.cloud

    def instances_bulkInsert(self, call):
        names, least = self.names(call.body)
        body = self.body_of(call)
        zones = [call.params["zone"]] if "zone" in call.params else self.zones(call)
        # All are alike: what is wrong with one is wrong with the request.
        first = f"{call.project}/zones/{zones[0]}/instances/{names[0]}"
        self.compute.instances.check(first, self.compute.instances.complete(first, body), call.caller)
        group = str(uuid.uuid4())
        seconds = self.cloud.conditions.get("bulk_insert_seconds", self.cloud.conditions.get("operation_seconds", 0))
        shape = (call.body.get("locationPolicy") or {}).get("targetShape", "ANY_SINGLE_ZONE" if len(zones) > 1 else "")
        work = Work(self, call, body, names, least, zones, shape, group)
        return self.compute.operations.start(call.place, "bulkInsert", call.project, call.caller, work.do, seconds=seconds, group=group)

    def names(self, body):
        """The machines' names, and how many of them are enough."""
        each = body.get("perInstanceProperties") or {}
        count = int(body.get("count") or 0)
        if count < 1 or count > MOST:
            raise invalid("count", count, f"Must be between 1 and {MOST}.")
        if bool(each) == bool(body.get("namePattern")):
            raise Refusal(400, "Exactly one of namePattern and perInstanceProperties must be specified.", "invalid")
        if each and len(each) != count:
            raise invalid("perInstanceProperties", len(each), f"The number of instances has to equal count, {count}.")
        names = sorted(each) if each else self.of_pattern(body["namePattern"], count)
        for name in names:
            check_name("perInstanceProperties.name", name)
        least = int(body["minCount"]) if body.get("minCount") is not None else count
        if not 1 <= least <= count:
            raise invalid("minCount", least, f"Must be between 1 and count, {count}.")
        return names, least

    @staticmethod
    def of_pattern(pattern, count):
        if len(re.findall(r"#+", pattern)) != 1:
            raise invalid("namePattern", pattern, "Must have one sequence of '#'.")
        return [re.sub(r"#+", lambda marks: str(number + 1).zfill(len(marks[0])), pattern) for number in range(count)]

    def body_of(self, call):
        """The properties of each machine: the template's, replaced field by field."""
        over, template = call.body.get("instanceProperties") or {}, call.body.get("sourceInstanceTemplate")
        if not template:
            if not over:
                raise missing("instanceProperties")
            return copy.deepcopy(over)
        self.cloud.rights.require(call.caller, "compute.instanceTemplates.useReadOnly", call.project)
        return self.compute.instances.from_template(template, over, call.params["project"])

    def zones(self, call):
        """The zones of a regional request, in the order to try them."""
        policy = call.body.get("locationPolicy") or {}
        locations = policy.get("locations") or {}
        denied = {key.removeprefix("zones/") for key, row in locations.items() if (row or {}).get("preference") == "DENY"}
        allowed = [key.removeprefix("zones/") for key, row in locations.items() if (row or {}).get("preference") != "DENY"]
        for zone in (*denied, *allowed):
            if region_of(zone) != call.params["region"]:
                raise invalid("locationPolicy.locations", zone, f"The zone is not in region {call.params['region']}.")
        return sorted(allowed) or [zone for zone in (f"{call.params['region']}-{letter}" for letter in "abc") if zone not in denied]


class Work:
    """What a bulkInsert does when its time has come."""

    def __init__(self, bulk, call, body, names, least, zones, shape, group):
        self.bulk, self.call, self.body, self.names, self.least = bulk, call, body, names, least
        self.zones, self.shape, self.group = zones, shape, group
        self.compute, self.cloud = bulk.compute, bulk.cloud

    def do(self):
        best, left = {}, list(self.names)
        if self.shape in ("", "ANY_SINGLE_ZONE"):
            # The first zone with room for all, otherwise the zone with the most room.
            zone = max(self.zones, key=lambda one: (self.room(one), -self.zones.index(one)))
            best[zone] = left
        elif self.shape == "BALANCED":
            for number, name in enumerate(left):
                best.setdefault(self.zones[number % len(self.zones)], []).append(name)
        else:
            for zone in self.zones:
                room = self.room(zone) if zone != self.zones[-1] else len(left)
                best[zone], left = left[:room], left[room:]
        results = [(zone, name, self.make(zone, name)) for zone, names in best.items() for name in names]
        return self.report(results)

    def room(self, zone):
        """How many of the machines fit into a zone."""
        count = self.cloud.conditions.stock().get(zone, len(self.names))
        return 0 if isinstance(count, str) else min(count, len(self.names))

    def make(self, zone, name):
        """Makes a machine; gives the reason (code, message) if there is none."""
        path = f"{self.call.project}/zones/{zone}/instances/{name}"
        instances = self.compute.instances
        if self.cloud.get("compute", path):
            return "RESOURCE_ALREADY_EXISTS", f"The resource '{path}' already exists"
        resource = instances.complete(path, copy.deepcopy(self.body))
        each = (self.call.body.get("perInstanceProperties") or {}).get(name) or {}
        resource.update({key: value for key, value in each.items() if key in EACH and value})
        resource["name"] = name
        try:
            instances.check(path, resource, self.call.caller)
        except Refusal as refusal:
            return "INVALID_USAGE" if refusal.status == 400 else "PERMISSIONS_ERROR", refusal.message
        reason = instances.no_room(path, resource)
        if reason is None:
            instances.use_room(path)
            self.cloud.put("compute", path, resource)
        return reason

    def report(self, results):
        made = [row for row in results if row[2] is None]
        whole = len(made) >= self.least
        places = {}
        for zone, name, reason in results:
            row = places.setdefault(f"zones/{zone}", {"targetVmCount": 0, "createdVmCount": 0, "failedToCreateVmCount": 0, "deletedVmCount": 0,
                                                      "status": "DONE"})
            row["targetVmCount"] += 1
            row["createdVmCount" if reason is None else "failedToCreateVmCount"] += 1
            path = f"{self.call.project}/zones/{zone}/instances/{name}"
            self.child(path, reason)
            if reason is None and whole:
                self.compute.instances.is_up(path)
            elif reason is None:
                row["deletedVmCount"] += 1
                self.compute.instances.vanished(path)
        result = {"instancesBulkInsertOperationMetadata": {"perLocationStatus": places}}
        if not whole:
            reasons = dict.fromkeys(reason for _, _, reason in results if reason)
            result.update(failed([("VM_MIN_COUNT_NOT_REACHED", f"Requested minimum count of {self.least} VMs could not be created."), *reasons]))
        return result

    def child(self, path, reason):
        """The operation of one machine. Its work is over: only its errors are of interest."""
        place = path.split("/instances/")[0]
        if part(place, "zones"):
            self.compute.operations.start(place, "insert", path, self.call.caller, lambda: [reason] if reason else None, seconds=0, group=self.group)
