"""Machines: how they are made. What happens to them later is in the other files that Instances consists of."""
import copy, json, pathlib, re

from compute import collections, machine_rules
from compute.machine_changes import Changes
from compute.machine_life import Life
from compute.operations import timestamp
from compute.room import Room
from errors import Refusal, exists, missing, not_found
from links import check_name, link, name_of, part, path_of

PUBLIC_IMAGES = json.loads((pathlib.Path(__file__).resolve().parent / "images.json").read_text())["projects"]


class Instances(Room, Life, Changes):
    def __init__(self, compute):
        self.compute, self.cloud = compute, compute.cloud
        self.number, self.not_ours = None, 0
        compute.need_reservation = self.need_reservation

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
        """Of a machine, for its addresses. The file has a number that no process has given yet."""
        file = self.cloud.folder / "next"
        if self.number is None:
            self.number = self.not_ours = int(file.read_text()) if file.exists() else 0
        if self.number == self.not_ours:
            self.not_ours += 50
            file.write_text(str(self.not_ours))
        self.number += 1
        return self.number - 1

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
