#!/usr/bin/env python3
"""Deploys the examples, and the blueprints beside this file, to the stand-in: test_examples.py SLIPWAY

Every request of the definitions is accepted, a second deploy sends no change, the templates make machines, and a destroy leaves nothing.
"""
import json, pathlib, subprocess, sys, tempfile, unittest

sys.dont_write_bytecode = True  # keep the source tree clean
HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "golden")]
from client import Client
from control import left, machine_named, machines, start
from deploy import Deployment
from links import name_of, part, path_of
from run import installed

EXAMPLES = HERE.parents[2] / "examples"
SLIPWAY = ""


class Example:
    """An example with its values, in a cloud of its own."""

    def __init__(self, blueprint, folder):
        values = blueprint.with_name(f"{blueprint.stem}-deployment.yaml")
        given = ["-d", values] if values.exists() else []
        subprocess.run([SLIPWAY, "create", blueprint, *given, "-o", folder / "created", "-l", "IGNORE"], check=True, capture_output=True,
                       timeout=120)
        self.created, self.changes = next((folder / "created").iterdir()), []
        self.folder = folder / "cloud"
        self.folder.mkdir()
        self.client = Client(self.folder)
        self.cloud = self.client.cloud
        self.cloud.instances.waiting = False

    def send(self, verb, url, body=None, **query):
        if verb != "GET":
            self.changes.append(f"{verb} {url}")
        return self.client.send(verb, url, body, **query)

    def deploy(self):
        deployment = Deployment(self.folder, self.created, self.client)
        deployment.provider.send = self.send
        deployment.apply_all()
        deployment.finish()

    def destroy(self):
        Deployment(self.folder, None, self.client).destroy_all()

    def cluster(self):
        return json.loads(next(self.folder.glob("buckets/*/*/cluster.json")).read_text())

    def reserve(self, template, zone):
        """Makes the reservations that a template names."""
        properties = self.cloud.get("compute", template)["properties"]
        for value in (properties.get("reservationAffinity") or {}).get("values", []):
            place = f"projects/{part(template, 'projects')}/zones/{zone}"
            self.client.send("POST", f"compute.googleapis.com/compute/v1/{place}/reservations", {
                "name": name_of(value), "specificReservation": {"count": "4", "instanceProperties": {"machineType": properties["machineType"]}}})

    def start_one_of_each(self):
        """A machine of each nodeset, as the controller makes it; gives their names."""
        cluster, names = self.cluster(), []
        for key, nodeset in cluster["nodesets"].items():
            template = nodeset["template"]
            zone = nodeset["zones"][0]
            self.reserve(path_of(template[template.index("projects/"):]), zone)
            names.append(start(self.cloud, f"{cluster['cluster']}-{key}-0", zone, {}))
        return names


class Examples(unittest.TestCase):
    def test_each_example_is_accepted_changes_nothing_twice_and_goes_away(self):
        found = sorted(file for file in EXAMPLES.glob("*.yaml") if file.with_name(f"{file.stem}-deployment.yaml").exists())
        self.assertGreaterEqual(len(found), 4)
        for blueprint in found:
            with self.subTest(blueprint.stem), tempfile.TemporaryDirectory() as folder:
                self.life_of(Example(blueprint, pathlib.Path(folder)))

    def test_machines_of_many_types_are_accepted(self):
        found = sorted(HERE.glob("*.yaml"))
        self.assertGreaterEqual(len(found), 2)
        for blueprint in found:
            with self.subTest(blueprint.stem), tempfile.TemporaryDirectory() as folder:
                self.life_of(Example(blueprint, pathlib.Path(folder)))

    def life_of(self, example):
        example.deploy()
        self.assertGreater(len(example.changes), 10)
        example.changes.clear()
        example.deploy()
        self.assertEqual(example.changes, [])
        names = example.start_one_of_each()
        self.assertTrue(names)
        self.assertLessEqual(set(names), {row.split()[0] for row in machines(example.cloud) if row.endswith("RUNNING")})
        for name in names:
            example.cloud.services["compute"].instances.vanished(machine_named(example.cloud, name))
        example.destroy()
        self.assertEqual([key for key in left(example.cloud) if "/reservations/" not in key], [])


if __name__ == "__main__":
    SLIPWAY = sys.argv.pop(1)
    with tempfile.TemporaryDirectory() as prefix:
        SLIPWAY = installed(SLIPWAY, pathlib.Path(prefix) / "prefix")
        unittest.main(verbosity=0)
