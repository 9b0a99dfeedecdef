#!/usr/bin/env python3
"""Does for the stand-in what Terraform and Google's provider do for the cloud.

    deploy.py CREATED FOLDER        makes what the definitions say, or changes what it made before
    deploy.py --destroy FOLDER      destroys it

CREATED is a folder that `slipway create` wrote. The requests go to the stand-in of FOLDER: to its socket if it runs, else to one of
this process, in which machines wait in to-start/ until a test moves them. What was made is written to FOLDER/terraform.json. A request
that the cloud refuses ends the program with status 1 and the cloud's words. Slurm's files are adapted to this machine.
"""
import hashlib, json, pathlib, re, sys

from client import Client
from expressions import Evaluator
from provider import IN_PLACE, Failed, Provider

DATA = "data."


class Definitions:
    """All resources of all groups by TYPE.NAME, evaluated when they are needed: a reference makes what it refers to."""

    def __init__(self, created):
        self.bodies, self.outputs = {}, {}
        for file in sorted(created.glob("*/*.tf.json")):
            text = json.loads(file.read_text())
            for kind, named in text.get("resource", {}).items():
                self.bodies.update({f"{kind}.{name}": (file.parent, body) for name, body in named.items()})
            for kind, named in text.get("data", {}).items():
                self.bodies.update({f"{DATA}{kind}.{name}": (file.parent, body) for name, body in named.items()})
            self.outputs.update({name: row["value"] for name, row in text.get("output", {}).items()})


class Deployment:
    def __init__(self, folder, created, client):
        self.folder, self.definitions, self.file = folder, Definitions(created) if created else None, folder / "terraform.json"
        self.state = json.loads(self.file.read_text()) if self.file.exists() else {}
        self.provider, self.evaluator = Provider(client.send), Evaluator(self.look_up)
        self.done, self.adapted = {}, {}

    def save(self):
        self.file.write_text(json.dumps(self.state))

    # references

    def look_up(self, words):
        if words[0] == "var":
            return self.evaluator.value(self.definitions.outputs[words[1]]), 2
        if words[0] == "data":
            return self.attributes(".".join(words[:3])), 3
        return self.attributes(".".join(words[:2])), 2

    def attributes(self, name):
        """A resource's configuration with its attributes, after it was made."""
        if name not in self.done:
            self.apply(name)
        return self.done[name]

    # making

    def apply_all(self):
        for name in [name for name in self.state if name not in self.definitions.bodies]:
            self.destroy(name)
        for name in sorted(self.definitions.bodies, key=order_of):
            self.attributes(name)

    def apply(self, name):
        group, body = self.definitions.bodies[name]
        self.done[name] = {}  # a cycle would be Terraform's error
        for other in body.get("depends_on", []):
            self.attributes(other)
        body = {key: self.evaluator.value(value) for key, value in body.items()
                if key not in ("depends_on", "lifecycle", "timeouts", "provisioner")}
        kind = name.removeprefix(DATA).split(".")[0]
        if name.startswith(DATA):
            self.done[name] = self.provider.data(kind, body)
            return
        before = self.state.get(name)
        if before is None:
            made = self.make(kind, group, body)
        elif before["body"] == json.loads(json.dumps(body)):
            made = before["made"]
        else:
            made = self.change(kind, group, body, before)
        self.state[name] = {"body": body, "made": made, "number": (before or {}).get("number", len(self.state))}
        self.save()
        self.done[name] = {**body, **made}

    def make(self, kind, group, body):
        if kind == "terraform_data":
            return {"output": body.get("input"), "id": "1"}
        if kind == "random_id":
            return {"hex": hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()[:2 * body["byte_length"]]}
        if kind == "random_password":
            return {"result": hashlib.sha256(json.dumps([group.name, body], sort_keys=True).encode()).hexdigest()[:body["length"]], "id": "none"}
        if kind == "local_file":
            return {"id": body["filename"]}
        try:
            return self.provider.create(kind, self.adapt(kind, group, body))
        except Failed as failed:
            raise Failed(f"{kind} {body.get('name', '')}: {failed}") from failed

    def change(self, kind, group, body, before):
        """What the provider changes in place, or a replacement."""
        changed = {key for key in {*body, *before["body"]} if body.get(key) != before["body"].get(key)}
        if kind == "google_storage_bucket_object" and changed <= IN_PLACE[kind] | {"bucket"}:
            return self.make(kind, group, body)
        if kind == "google_compute_instance_template" or not changed <= IN_PLACE.get(kind, set()):
            if kind == "google_compute_instance_template":  # create_before_destroy
                made = self.make(kind, group, body)
                self.late = getattr(self, "late", []) + [before["made"]]
                return made
            self.provider.delete(before["made"])
            return self.make(kind, group, body)
        return before["made"]

    def finish(self):
        for made in getattr(self, "late", []):
            self.provider.delete(made)

    # Slurm's files

    def adapt(self, kind, group, body):
        """An object's content as this machine's Slurm can use it; cluster.json has the digests of that."""
        if kind != "google_storage_bucket_object":
            return body
        name = body["name"]
        if body.get("content") is None:
            text = for_this_machine(name.rsplit("/", 1)[-1], (group / body["source"]).read_bytes())
            self.adapted[name] = hashlib.sha256(text).hexdigest()
            return {**body, "//read": lambda _: text}
        if name.endswith("/cluster.json"):
            cluster, place = json.loads(body["content"]), name.removesuffix("cluster.json")
            for other, (_, about) in self.definitions.bodies.items():
                if other.startswith("google_storage_bucket_object.") and about["name"].startswith(place) and "source" in about:
                    self.attributes(other)
            digests = {key.removeprefix(place): value for key, value in {**self.uploaded(), **self.adapted}.items() if key.startswith(place)}
            assert set(cluster["files"]) <= set(digests), sorted(set(cluster["files"]) - set(digests))
            return {**body, "content": json.dumps({**cluster, "files": {key: digests[key] for key in cluster["files"]}})}
        return body

    def uploaded(self):
        """The digests of the objects that are there."""
        found = {}
        for row in self.state.values():
            made = row["made"]
            if "md5hash" in made:
                file = self.folder / "buckets" / made["bucket"] / made["name"]
                if file.exists():
                    found[made["name"]] = hashlib.sha256(file.read_bytes()).hexdigest()
        return found

    # the end

    def destroy(self, name):
        self.provider.delete(self.state[name]["made"])
        del self.state[name]
        self.save()

    def destroy_all(self):
        """In the opposite order of making; whatever is refused is tried again, after what was in its way."""
        names = sorted(self.state, key=lambda name: -self.state[name]["number"])
        while names:
            left, refused = [], None
            for name in names:
                try:
                    self.destroy(name)
                except Failed as failed:
                    left, refused = left + [name], failed
            if len(left) == len(names):
                raise refused
            names = left


def order_of(name):
    """cluster.json is last of the objects, machines come after all."""
    return "compute_instance" in name.split(".")[0] and "template" not in name.split(".")[0], name.endswith("cluster"), name


def for_this_machine(name, data):
    """Adapts a Slurm file to this machine."""
    if name == "cgroup.conf":
        return b"CgroupPlugin=cgroup/v1\n"
    if name != "slurm.conf":
        return data
    text = data.decode()
    for key, other in {"ProctrackType": "proctrack/linuxproc", "TaskPlugin": "task/none",
                       "JobAcctGatherType": "jobacct_gather/linux"}.items():
        text, count = re.subn(rf"^{key}=.*$", f"{key}={other}", text, flags=re.M)
        assert count == 1, key
    text = text.replace(" PowerDownOnIdle=YES", "")  # since 23.02
    # Slurm handles idle nodes every second instead of every ten, because tests wait for it.
    text = re.sub(r"^(SlurmctldParameters=.*)$", r"\1,power_save_interval=1", text, flags=re.M)
    return text.encode()


def main():
    words = [word for word in sys.argv[1:] if word != "--destroy"]
    folder = pathlib.Path(words[-1])
    client = Client(folder)
    deployment = Deployment(folder, pathlib.Path(words[0]) if len(words) == 2 else None, client)
    try:
        if "--destroy" in sys.argv:
            deployment.destroy_all()
        else:
            deployment.apply_all()
            deployment.finish()
    except Failed as failed:
        sys.exit(f"deploy.py: {failed}")
    finally:
        client.close()


if __name__ == "__main__":
    main()
