#!/usr/bin/env python3
"""Checks `slipway modules` for the whole library: usage: library.py SLIPWAY

`slipway modules` must list all modules, each page must fit 100 columns (except for longer words), and the JSON must match
its schemas. Every input of a module with resources must have an effect or say why not.
"""
import json, pathlib, re, subprocess, sys, tempfile

sys.dont_write_bytecode = True  # keep the source tree clean
from run import ROOT, breaks_schema, installed


# Inputs that users may set but that have no effect here.
WITHOUT_EFFECT = {
    ("modules/compute/vm-instance", "machine_configs"),  # set by Cluster Toolkit's compiler
    ("modules/file-system/managed-lustre", "deployment_name"),  # the instance's name is always set
}


def inputs_without_effect():
    """Inputs that no local, resource or output of their module uses."""
    for file in sorted((ROOT / "blueprints").glob("**/module.yaml")):
        path = str(file.parent.relative_to(ROOT / "blueprints"))
        sections = dict(re.findall(r"^(\w+):(.*\n(?:(?: .*|#.*|)\n)*)", file.read_text(), re.M))
        if "resources" not in sections:
            continue
        used = "".join(sections.get(name, "") for name in ("locals", "resources", "outputs", "model"))
        for name, body in re.findall(r"^  (\w+):(.*\n(?:    .*\n)*)", sections["inputs"], re.M):
            gone = re.search(r"\b(gone|no_effect):", body)
            if not gone and not re.search(rf"\b(input|given)\.{name}\b", used) and (path, name) not in WITHOUT_EFFECT:
                yield f"{path}: the input `{name}` has no effect"


def main():
    problems = list(inputs_without_effect())
    with tempfile.TemporaryDirectory() as folder:
        slipway = installed(sys.argv[1], pathlib.Path(folder) / "prefix")

        def shown(*words):
            done = subprocess.run([slipway, "modules", *words], capture_output=True, text=True, timeout=60)
            if done.returncode != 0:
                problems.append(f"modules {' '.join(words)}: {done.stderr}")
            return done.stdout

        listed = shown("--format", "json")
        problems.append(breaks_schema(listed))
        paths = [module["path"] for module in json.loads(listed)["modules"]]
        files = sorted(str(file.parent.relative_to(ROOT / "blueprints"))
                       for file in (ROOT / "blueprints").glob("**/modules/**/module.yaml"))
        if paths != files:
            problems.append(f"listed: {paths}, on disk: {files}")
        pages = {"the list": shown(), **{path: shown(path) for path in paths}}
        problems += [f"{name}: wider than 100 columns: {line}" for name, page in pages.items()
                     for line in page.splitlines()
                     if len(line) > 100 and max(len(word) for word in line.split()) < 80]
        problems += [breaks_schema(shown(path, "--format", "json")) for path in paths]
    problems = [problem for problem in problems if problem]
    print(*problems, sep="\n")
    print(f"{len(paths)} modules, {len(problems)} problems")
    return 1 if problems or not paths else 0


if __name__ == "__main__":
    sys.exit(main())
