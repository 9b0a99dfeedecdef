#!/usr/bin/env python3
"""Checks that no input of a module is dropped in silence: usage: inputs.py SLIPWAY [MODULE [INPUT]]

For each input of each module, two deployments are created that differ in this input only: it must change what Google Cloud
or Slurm gets, or there must be a diagnostic that names it. The same holds for each attribute of an object. A module without
resources is refused as a whole. The blueprints around the modules are in input_blueprints.py, the values in input_samples.py.
"""
import concurrent.futures, dataclasses, json, os, pathlib, re, subprocess, sys, tempfile

sys.dont_write_bytecode = True  # keep the source tree clean
from input_blueprints import ALONE, AROUND, FILES, VARIABLES
from input_samples import EXEMPT, SAMPLES, VALUES, WIRED, WITH
from input_types import attributes, parsed, value_of, with_attribute
from run import HERE, ROOT, installed


OUTPUTS = {}  # of each module, by its path


@dataclasses.dataclass
class Change:
    """A setting, or an attribute of one, of the module `it` that gets another value than before."""
    module: str
    name: str      # "disks" or "disks.size"
    expected: str  # "effect", "effect or word" (a warning), "anything" (an error, too) or "gone" (an error)
    before: dict
    after: dict


def by_module(table, module, name, default=None):
    return table.get((module, name), table.get(("*", name), default))


def blueprint_text(module, name, settings):
    """A blueprint to test an input of a module with these settings."""
    entries = [dict(entry) for entry in AROUND.get((module, name), AROUND.get(module, ALONE))]
    for entry in entries:
        if entry["id"] == "it":
            entry.update(source=module, outputs=entry.get("outputs", OUTPUTS.get(module, [])))
            entry["settings"] = {**entry.get("settings", {}), **settings}
    groups = {}
    for entry in entries:
        groups.setdefault(entry.pop("group", "primary"), []).append(entry)
    return json.dumps({"blueprint_name": "inputs", "vars": VARIABLES, "deployment_groups": [
        {"group": name, "modules": modules} for name, modules in groups.items()]}, indent=1)


def lines_of(text, name):
    """The numbers of the lines of the blueprint that a setting of `it` takes."""
    lines = text.splitlines()
    first = next(i for i, line in enumerate(lines[lines.index('     "id": "it",'):], lines.index('     "id": "it",'))
                 if line.startswith(f'      "{name}":'))
    last = next(i for i in range(first, len(lines)) if i == len(lines) - 1 or not lines[i + 1].startswith("       "))
    return range(first + 1, last + 2)


def is_named(change, said):
    """Whether a diagnostic is at the setting, has its value, or names the attribute."""
    name = change.name.split(".")
    places = lines_of(blueprint_text(change.module, name[0], change.after), name[0])
    for message, line in re.findall(r"^(?:warning|error)\[\w+\]: (.*)\n\s*--> blueprint.yaml:(\d+):", said, re.M):
        if len(name) == 1 and (int(line) in places or f"`{change.after[name[0]]}`" in message):
            return True
        if len(name) == 2 and int(line) in places and f"`{name[1]}`" in message:
            return True
    return False


def headlines(said):
    return "; ".join(re.findall(r"^(?:error|warning)\[(?!W0223).*", said, re.M)) or said


class Creator:
    def __init__(self, slipway):
        self.slipway, self.made = slipway, {}

    def create(self, module, name, settings):
        """The files that Terraform, Packer and Slurm get, standard error and whether it succeeded."""
        text = blueprint_text(module, name.split(".")[0], settings)
        if text not in self.made:
            self.made[text] = self.run(text)
        return self.made[text]

    def run(self, text):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "blueprint.yaml").write_text(text)
            for file, content in FILES.items():
                (folder / file).write_text(content)
            done = subprocess.run([self.slipway, "create", "blueprint.yaml", "-o", "out"], cwd=folder, capture_output=True,
                                  text=True, timeout=60, env={**os.environ, "NO_COLOR": "1"})
            files = {str(path.relative_to(folder)): path.read_bytes() for path in sorted((folder / "out").rglob("*"))
                     if path.is_file() and "/.slipway/" not in str(path)}
            return files, done.stderr, done.returncode == 0

    def problem(self, change):
        """What is wrong with a change, or nothing."""
        after, said, fine = self.create(change.module, change.name, change.after)
        if change.expected in ("gone", "anything") and not fine:
            return "" if is_named(change, said) else f"is refused for another reason: {headlines(said)}"
        if change.expected == "gone":
            return f"is set without a diagnostic: {headlines(said)}"
        before, errors, was_fine = self.create(change.module, change.name, change.before)
        if not was_fine:
            return f"cannot be created without it: {headlines(errors)}"
        if not fine:
            return f"cannot be created with {json.dumps(change.after)}: {headlines(said)}"
        if after != before or change.expected != "effect" and is_named(change, said):
            return ""
        return f"changes nothing in silence: {json.dumps(change.after)}"


def sample(module, given, kind):
    """A value for an input that differs from its default."""
    name, default = given["name"], given["default"]
    chosen = by_module(SAMPLES, module, name)
    if chosen is not None:
        return chosen
    if given["one_of"] and name not in VALUES:
        return next(value for value in given["one_of"] if value != default)
    return value_of(kind, name, VARIABLES.get(name, default), VALUES)


def changes_of(module, about):
    """All changes of a module's settings, one input or attribute at a time."""
    for given in about["inputs"]:
        name, kind = given["name"], parsed(given["type"])
        value = sample(module, given, kind)
        beside = by_module(WITH, module, name)
        expected = "gone" if given.get("gone") else "effect or word" if beside is None else "anything"
        if (module, name) not in EXEMPT:
            yield Change(module, name, expected, {}, {name: value})
        if given.get("gone") or given.get("no_effect"):
            continue
        if beside:
            yield Change(module, name, "effect", beside, {**beside, name: value})
        if name not in WIRED:
            yield from changes_within(module, name, kind, {**(beside or {}), name: value})


def changes_within(module, name, kind, settings):
    """A change for each attribute of an object or of the objects in a list."""
    for attribute, inner in attributes(kind).items():
        path = f"{name}.{attribute}"
        if (module, path) in EXEMPT:
            continue
        before = {**settings, **by_module(WITH, module, path, {})}
        value = before[name]
        place = value[0] if isinstance(value, list) else value
        other = by_module(SAMPLES, module, path) or value_of(inner, path, place.get(attribute), VALUES)
        yield Change(module, path, "effect or word", before, {**before, name: with_attribute(value, attribute, other)})


def downloaded(creator, module, about):
    """Whether a module without resources is called from Cluster Toolkit, with all of its required inputs."""
    settings = {given["name"]: SAMPLES.get((module, given["name"])) or value_of(
                    parsed(given["type"]), given["name"], given["default"], VALUES) for given in about["inputs"]
                if given["required"] and given["name"] not in VARIABLES}
    files, said, fine = creator.create(module, "", settings)
    if not fine:
        return f"cannot be created: {headlines(said)}"
    calls = [call for name, text in files.items() if name.endswith(".tf.json")
             for call in json.loads(text).get("module", {}).values() if f"//{module}?ref=" in call["source"]]
    wanted = {given["name"] for given in about["inputs"] if given["required"]}
    missing = wanted - set(calls[0]) if calls else wanted
    return f"is called without {', '.join(sorted(missing))}" if missing or not calls else ""


def main():
    names = sys.argv[2:]
    failed = inputs = 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        creator = Creator(installed(sys.argv[1], pathlib.Path(folder) / "prefix"))

        def described(*words):
            return json.loads(subprocess.run([creator.slipway, "modules", *words, "--format", "json"], capture_output=True,
                                             check=True, text=True, timeout=60).stdout)

        paths = [row["path"] for row in described()["modules"] if not names or row["path"] == names[0]]
        modules = dict(zip(paths, pool.map(described, paths)))
        changes, interfaces = [], []
        for path, about in modules.items():
            inputs += len(about["inputs"])
            if re.search(r"^(resources|template):", (ROOT / "blueprints" / path / "module.yaml").read_text(), re.M):
                OUTPUTS[path] = [row["name"] for row in about["outputs"]]
                changes += [change for change in changes_of(path, about) if not names[1:] or change.name == names[1]]
            else:
                interfaces.append(path)
        for change, problem in zip(changes, pool.map(creator.problem, changes)):
            failed += bool(problem)
            print(f"FAIL {change.module}: `{change.name}` {problem}\n" if problem else "", end="")
        for path, problem in zip(interfaces, pool.map(lambda path: downloaded(creator, path, modules[path]), interfaces)):
            failed += bool(problem)
            print(f"FAIL {path}: {problem}\n" if problem else "", end="")
    print(f"{len(modules)} modules, {inputs} inputs, {len(changes)} changes, {failed} failed")
    return 1 if failed or not changes else 0


if __name__ == "__main__":
    sys.exit(main())
