"""Fakes Compute Engine: a machine is the file instances/NAME.json.

    stock.json   {"ZONE": how many more machines fit, or an error code}; other zones have room for all
"""
import json, re, uuid

from instance import machine

WORDS = {
    "ZONE_RESOURCE_POOL_EXHAUSTED": "The zone '{zone}' does not have enough resources available to fulfill the request.",
    "QUOTA_EXCEEDED": "Quota 'NVIDIA_H100_GPUS' exceeded. Limit: 8.0 in region us-central1.",
}


class Compute:
    def __init__(self, folder, lock, error):
        self.folder, self.lock, self.error = folder, lock, error

    def answer(self, method, path, query, body):
        found = re.fullmatch(r"/compute/v1/projects/([^/]+)/zones/([^/]+)/(instances|operations)(?:/(.+))?", path)
        if not found:
            raise self.error(400, f"the fake does not support {path}")
        self.project, self.zone, what, rest = found.groups()
        if what == "operations":
            return self.operation_now(rest)
        if method == "GET" and rest is None:
            return self.list(query)
        if method == "POST" and rest == "bulkInsert":
            return self.bulk_insert(body)
        if method == "POST" and rest.endswith("/start"):
            return self.change(rest.removesuffix("/start"), "RUNNING")
        if method == "DELETE":
            return self.delete(rest)
        raise self.error(400, f"the fake does not support {method} {path}")

    def operation(self, kind, code=None):
        """An operation that is done at the second query."""
        name = f"operation-{uuid.uuid4()}"
        done = {"name": name, "operationType": kind, "status": "DONE"}
        if code:
            done["error"] = {"errors": [{"code": code, "message": WORDS[code].format(zone=self.zone)}]}
        folder = self.folder / "operations"
        folder.mkdir(exist_ok=True)
        (folder / name).write_text(json.dumps(done))
        return {"name": name, "operationType": kind, "status": "RUNNING"}

    def operation_now(self, name):
        return json.loads((self.folder / "operations" / name).read_text())

    def mine(self):
        for file in sorted((self.folder / "instances").glob("*.json")):
            try:
                instance = json.loads(file.read_text())
            except FileNotFoundError:
                continue  # deleted meanwhile
            if instance["metadata"]["zone"].endswith("/" + self.zone) and instance["project"] == self.project:
                yield file.stem, instance

    def list(self, query):
        pattern = re.fullmatch(r'name eq "(.*)"', query["filter"])[1]
        found = [{"name": name, "status": instance.get("status", "RUNNING")} for name, instance in self.mine()
                 if re.fullmatch(pattern, name)]
        # Pages are small, so that clients have to request several. A machine that is deleted meanwhile moves no other to a
        # page that was already read.
        found.sort(key=lambda machine: machine["name"])
        rest = [machine for machine in found if machine["name"] > query.get("pageToken", "")]
        more = {"nextPageToken": rest[1]["name"]} if len(rest) > 2 else {}
        return {"items": rest[:2], **more} if rest else {}

    def bulk_insert(self, body):
        names, least = sorted(body["perInstanceProperties"]), int(body["minCount"])
        template = re.fullmatch(r"projects/([^/]+)/global/instanceTemplates/([^/?]+)", body["sourceInstanceTemplate"])
        if int(body["count"]) != len(names) or not template:
            raise self.error(400, "Invalid value for field", "", "invalid")
        file = self.folder / "templates" / template[1] / f"{template[2]}.json"
        if not file.exists():
            raise self.error(404, f"The resource '{body['sourceInstanceTemplate']}' was not found", "", "notFound")
        with self.lock:
            if any((self.folder / "instances" / f"{name}.json").exists() for name in names):
                raise self.error(409, f"The resource '{names[0]}' already exists", "", "alreadyExists")
            stock = self.folder / "stock.json"
            rooms = json.loads(stock.read_text()) if stock.exists() else {}
            room = rooms.get(self.zone, len(names))
            if isinstance(room, str):
                return self.operation("bulkInsert", room)
            if room < least:
                return self.operation("bulkInsert", "ZONE_RESOURCE_POOL_EXHAUSTED")
            for name in names[:room]:
                self.insert(name, json.loads(file.read_text()))
            if self.zone in rooms:
                stock.write_text(json.dumps({**rooms, self.zone: room - len(names[:room])}))
        return self.operation("bulkInsert", "ZONE_RESOURCE_POOL_EXHAUSTED" if room < len(names) else None)

    def insert(self, name, template):
        counter = self.folder / "next"
        number = int(counter.read_text())
        counter.write_text(str(number + 1))
        self.write(name, machine(name, self.zone, number, template))

    def write(self, name, instance):
        file = self.folder / "instances" / f"{name}.json"
        file.with_suffix(".new").write_text(json.dumps(instance))
        file.with_suffix(".new").rename(file)

    def change(self, name, status):
        instance = dict(self.mine()).get(name)
        if instance is None:
            raise self.error(404, f"The resource '{name}' was not found", "", "notFound")
        self.write(name, {**instance, "status": status})
        return self.operation("start")

    def delete(self, name):
        if name not in dict(self.mine()):
            raise self.error(404, f"The resource '{name}' was not found", "", "notFound")
        (self.folder / "instances" / f"{name}.json").unlink()
        return self.operation("delete")
