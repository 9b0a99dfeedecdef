#!/usr/bin/env python3
"""Checks `slipway modules` for the whole library: usage: library.py SLIPWAY

`slipway modules` must list all modules, each page must fit 100 columns (except for longer words), and the JSON must match
its schemas. Each kind of place that an input names must be one of the catalogue's.
"""
import json, pathlib, subprocess, sys, tempfile

import yaml

sys.dont_write_bytecode = True  # keep the source tree clean
from run import ROOT, breaks_schema, installed


def unknown_kinds(paths):
    """Kinds of places in module files that zones.yaml lacks: those inputs would not be checked."""
    known = yaml.safe_load((ROOT / "blueprints/catalogue/zones.yaml").read_text())["kinds"]
    for path in paths:
        for name, about in yaml.safe_load((ROOT / "blueprints" / path / "module.yaml").read_text())["inputs"].items():
            place = about.get("place", {})
            for kind in place.values() if isinstance(place, dict) else [place]:
                if kind not in known:
                    yield f"{path}: the place of `{name}` is of the kind `{kind}`, which zones.yaml does not have"


def quoted_texts(paths):
    """Rules whose text has quotes around it: a folded text needs none, and messages would show them."""
    for path in paths:
        for rule in yaml.safe_load((ROOT / "blueprints" / path / "module.yaml").read_text()).get("rules", []):
            if rule.get("else", "").startswith('"'):
                yield f"{path}: the text of a rule has quotes around it: {rule['else']}"


def main():
    problems = []
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
        problems += unknown_kinds(paths)
        problems += quoted_texts(paths)
    problems = [problem for problem in problems if problem]
    print(*problems, sep="\n")
    print(f"{len(paths)} modules, {len(problems)} problems")
    return 1 if problems or not paths else 0


if __name__ == "__main__":
    sys.exit(main())
