"""The machines as files, for machines.cc and the tests: instances/NAME.json has {"project", "address", "profile", "metadata", "status",
"hardware"}, and a machine runs as long as its file exists.

Changing or deleting a file is what another user does in the cloud's console: the stand-in takes over the status and the metadata, and forgets a machine whose file is gone. A machine that Terraform makes waits in to-start/ until a test moves it.
"""
import dataclasses, json, os, pathlib, time

from compute.hardware import hardware
from links import name_of, part



@dataclasses.dataclass
class Known:
    file: pathlib.Path
    text: str
    stamp: tuple


NO_PROFILE = {"network_interfaces": [{"name": "ens4"}], "gpus": {"devices": []}}


class InstancesFolder:
    def __init__(self, cloud):
        self.cloud, self.stamp, self.known, self.read_at = cloud, None, {}, 0.0
        self.waiting = False  # whether new machines wait in to-start/
        for name in ("instances", "to-start", "twins"):
            (cloud.folder / name).mkdir(exist_ok=True)

    def changed(self, path, resource):
        """Writes a machine's file, unless it is still being made."""
        known = self.known.get(path)
        if known is None and resource["status"] == "PROVISIONING" and not self.waiting:
            return
        text = json.dumps(self.record(path, resource))
        if known is not None and known.text == text:
            return
        self.write(path, known.file if known else self.new_file(path), text)

    def write(self, path, file, text):
        nobody_else = self.stamp_now() == self.stamp
        file.with_suffix(".new").write_text(text)
        file.with_suffix(".new").rename(file)
        self.known[path] = Known(file, text, stamp_of(file.stat()))
        if nobody_else:
            self.stamp = self.stamp_now()

    def stamp_now(self):
        """Changes with every file that comes, goes or is replaced."""
        return tuple(os.stat(self.cloud.folder / name).st_mtime_ns for name in ("instances", "to-start"))

    def new_file(self, path):
        """Two machines may have the same name, in different zones. The second is never wanted, and does not run."""
        name = f"{name_of(path)}.json"
        taken = any((self.cloud.folder / folder / name).exists() for folder in ("instances", "to-start"))
        return self.cloud.folder / ("twins" if taken else "to-start" if self.waiting else "instances") / name

    def removed(self, path):
        known = self.known.pop(path, None)
        if known:
            nobody_else = self.stamp_now() == self.stamp
            known.file.unlink(missing_ok=True)
            if nobody_else:
                self.stamp = self.stamp_now()

    def listing(self):
        """The files, by name: the path, and what changes with the content."""
        found = {}
        for folder in ("twins", "to-start", "instances"):
            with os.scandir(self.cloud.folder / folder) as entries:
                for entry in entries:
                    if entry.name.endswith(".json"):
                        try:
                            found[folder == "twins", entry.name] = self.cloud.folder / folder / entry.name, stamp_of(entry.stat())
                        except FileNotFoundError:
                            pass
        return found

    def records(self):
        """(path, record) of the machines that are on, as their files have them."""
        return [(path, json.loads(known.text)) for path, known in self.known.items() if known.file.parent.name == "instances"]

    def record(self, path, resource):
        project, zone = part(path, "projects"), part(path, "zones")
        metadata = {item["key"]: item.get("value", "") for item in resource.get("metadata", {}).get("items", [])}
        first = resource["networkInterfaces"][0]
        mac = "42:01:" + ":".join(f"{int(number):02x}" for number in first["networkIP"].split("."))
        tree = {"name": name_of(path), "id": int(resource["id"]), "zone": f"projects/{project}/zones/{zone}", "attributes": metadata,
                "machineType": f"projects/{project}/machineTypes/{name_of(resource['machineType'])}",
                "tags": resource.get("tags", {}).get("items", []), "maintenanceEvent": "NONE",
                "preempted": "TRUE" if resource["status"] == "STOPPING" and is_spot(resource) else "FALSE",
                "scheduling": {"automaticRestart": str(resource["scheduling"].get("automaticRestart", True)).upper(),
                               "onHostMaintenance": resource["scheduling"].get("onHostMaintenance", "MIGRATE"),
                               "preemptible": str(bool(resource["scheduling"].get("preemptible"))).upper()},
                "networkInterfaces": [{"ip": first["networkIP"], "mac": mac, "subnetmask": "255.255.0.0", "mtu": 1460}]}
        host = resource.get("resourceStatus", {}).get("physicalHost")
        if host:
            tree["attributes"] = {**metadata, "physical_host": host}
        if "upcomingMaintenance" in resource.get("resourceStatus", {}):
            tree["upcomingMaintenance"] = resource["resourceStatus"]["upcomingMaintenance"]
            tree["maintenanceEvent"] = "TERMINATE_ON_HOST_MAINTENANCE"
        return {"project": project, "profile": self.profile(metadata), "address": f"{first['networkIP']}/16",
                "hardware": hardware(resource), "status": resource["status"], "metadata": tree}

    def profile(self, metadata):
        """What the machine has besides, from the cluster's own file about it."""
        place = metadata.get("slipway-files", "").removeprefix("gs://")
        file = self.cloud.folder / "buckets" / place / "machines" / f"{metadata.get('slipway-group')}.json"
        return json.loads(file.read_text()) if place and file.exists() else NO_PROFILE

    def read_changes(self):
        """Takes over what others did to the files, and looks at all of them each second: another change may come with its own."""
        stamp, now = self.stamp_now(), time.monotonic()
        if stamp == self.stamp and now < self.read_at + 1:
            return
        self.stamp, self.read_at, files = stamp, now, self.listing()
        for path, known in list(self.known.items()):
            file, now = files.get((known.file.parent.name == "twins", known.file.name), (None, None))
            if file is None:
                self.cloud.services["compute"].instances.vanished(path)
            elif now != known.stamp or file != known.file:
                text = file.read_text()
                self.known[path] = Known(file, text, now)
                if text != known.text:
                    self.take_over(path, text)

    def read_all(self):
        """After a start: the files of the machines that are there."""
        files = self.listing()
        for path, resource in self.cloud.under("compute", "projects/"):
            if "/instances/" in path:
                file, stamp = files.get((False, f"{name_of(path)}.json"), (None, None))
                if file:
                    self.known[path] = Known(file, file.read_text(), stamp)

    def take_over(self, path, text):
        resource, record = self.cloud.get("compute", path), json.loads(text)
        resource["status"] = record.get("status", "RUNNING")
        attributes = {key: value for key, value in record["metadata"]["attributes"].items() if key != "physical_host"}
        resource["metadata"] = {**resource.get("metadata", {}), "items": [{"key": key, "value": value} for key, value in attributes.items()]}


def stamp_of(stat):
    return stat.st_ino, stat.st_mtime_ns, stat.st_size


def is_spot(resource):
    return resource["scheduling"].get("provisioningModel") == "SPOT" or resource["scheduling"].get("preemptible", False)
