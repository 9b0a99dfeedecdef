#!/usr/bin/env python3
"""Checks `slipway schema` with blueprints: usage: blueprint_schema.py SLIPWAY YAML_TO_JSON

The schema must be valid, accept the examples and all golden cases without errors, also when expanded, reject mistakes, and
have the same keys as the blueprint reader.
"""
import copy, json, pathlib, re, shlex, subprocess, sys, tempfile

import jsonschema

sys.dont_write_bytecode = True  # keep the source tree clean
from run import HERE, ROOT, installed

GOOD = {
    "blueprint_name": "x",
    "vars": {"deployment_name": "x"},
    "deployment_groups": [{"group": "one", "modules": [
        {"id": "net", "source": "modules/network/net", "settings": {
            "mtu": "8896", "ranges": [{"name": "a", "cidr": "$(vars.cidr)"}], "labels": "((var.labels))"}},
        {"id": "share", "source": "modules/storage/share", "use": ["net"], "settings": {"tier": "$(vars.tier)"},
         "outputs": ["address", {"name": "admin_password", "sensitive": True}]},
        {"id": "pool", "source": "community/modules/compute/pool",
         "settings": {"count": 3, "tags": None, "machine_type": 5, "image": {"family": "x", "other": 1}}},
        {"id": "own", "source": "./modules/own", "settings": {"anything": [1]}, "outputs": ["x"]}]}]}


def module(number, **changes):
    return lambda d: d["deployment_groups"][0]["modules"][number].update(changes)


def setting(number, **changes):
    return lambda d: d["deployment_groups"][0]["modules"][number]["settings"].update(changes)


MISTAKES = {
    "an unknown key": lambda d: d.update(variables={}),
    "no groups": lambda d: d.pop("deployment_groups"),
    "an empty group": lambda d: d["deployment_groups"][0].update(modules=[]),
    "a group's name": lambda d: d["deployment_groups"][0].update(group="one two"),
    "a deployment's name": lambda d: d["vars"].update(deployment_name="X"),
    "a module without source": lambda d: d["deployment_groups"][0]["modules"][0].pop("source"),
    "a key of a module": module(0, uses=[]),
    "a module's id": module(0, id="vars"),
    "a module's kind": module(0, kind="helm"),
    "a text for a list": module(1, use="net"),
    "a module that the library does not have": module(0, source="modules/network/nets"),
    "an output that the module does not have": module(1, outputs=["size"]),
    "an output where there is none": module(3, source="modules/packer/image", settings={}),
    "a setting that the module does not have": setting(0, mut=1500),
    "a setting that is gone": setting(1, fileset="home"),
    "a value that is not among the choices": setting(1, tier="FAST"),
    "a text for a number": setting(0, mtu="large"),
    "a list for a text": setting(1, zone=["a"]),
    "a text for a list of objects": setting(0, ranges="10.0.0.0/16"),
    "an object without what it must have": setting(0, ranges=[{"cidr": "10.0.0.0/16"}]),
    "a number for a boolean in an object": setting(0, ranges=[{"name": "a", "gateway": 1}]),
    "a list for a mapping": setting(2, metadata=["a"]),
}


def main():
    slipway, yaml_to_json = map(str, map(pathlib.Path.absolute, map(pathlib.Path, sys.argv[1:])))
    problems = []

    def run(program, *words):
        return subprocess.run([program, *words], cwd=ROOT / "tests/golden/blueprint", capture_output=True, text=True,
                              timeout=60)

    def validator(program):
        schema = json.loads(run(program, "schema").stdout)
        jsonschema.Draft7Validator.check_schema(schema)
        return jsonschema.Draft7Validator(schema)

    with tempfile.TemporaryDirectory() as folder:
        small = installed(slipway, pathlib.Path(folder) / "small", HERE / "commands/library")
        program = installed(slipway, pathlib.Path(folder) / "prefix")
        shipped, checked = validator(program), validator(small)

        def accept(what, document):
            problems.extend(f"{what}: {error.json_path}: {error.message[:300]}" for error in shipped.iter_errors(document))

        examples = [path for path in sorted(ROOT.glob("examples/*.yaml")) if not path.stem.endswith("-deployment")]
        blueprints = [*examples, *sorted((HERE / "blueprint").glob("ok-*.yaml"))]
        for path in blueprints:
            words = re.search(r"^# run: slipway \w+ \{\}(.*)$", path.read_text(), re.M)
            options = shlex.split(re.sub(r"--format \w+", "", words[1])) if words else []
            deployment_file = path.with_name(f"{path.stem}-deployment.yaml")
            if deployment_file.exists():
                options += ["-d", str(deployment_file)]
            expanded = run(program, "expand", str(path), *options, "--format", "json")
            accept(path.name, json.loads(run(yaml_to_json, str(path)).stdout))
            if expanded.returncode != 0:
                problems.append(expanded.stderr)
                continue
            accept(f"{path.name}, expanded", json.loads(expanded.stdout))

        problems += [f"the good one: {error.json_path}: {error.message}" for error in checked.iter_errors(GOOD)]
        for name, change in MISTAKES.items():
            wrong = copy.deepcopy(GOOD)
            change(wrong)
            if checked.is_valid(wrong):
                problems.append(f"accepted: {name}")

        odd = pathlib.Path(folder) / "odd.yaml"
        odd.write_text("blueprint_name: x\nqqqqqqqq: 1\nvars: {deployment_name: x}\ndeployment_groups:\n- group: x\n"
                       "  qqqqqqqq: 1\n  modules:\n  - id: x\n    source: modules/network/vpc\n    qqqqqqqq: 1\n")
        said = run(program, "check", str(odd)).stderr
        definitions = shipped.schema["definitions"]
        for what, schema in (("a blueprint", shipped.schema), ("a deployment group", definitions["group"]),
                             ("a module", definitions["module"])):
            known = re.search(f"the keys of {what} are: (.*)", said)
            if not known or set(known[1].split(", ")) != set(schema["properties"]):
                problems.append(f"{what} has the keys {known and known[1]}, the schema {list(schema['properties'])}")
    print(*problems, sep="\n")
    print(f"{len(blueprints)} blueprints, {len(MISTAKES)} mistakes, {len(problems)} problems")
    return 1 if problems or not blueprints else 0


if __name__ == "__main__":
    sys.exit(main())
