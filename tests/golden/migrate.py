#!/usr/bin/env python3
"""Migrates blueprints and checks the result: usage: migrate.py SLIPWAY

tests/golden/migrate/NAME.yaml gives NAME.out: reasons, then the diff. With SLIPWAY_ACCEPT=1, writes these files.
"""
import json, os, pathlib, re, shutil, subprocess, sys, tempfile

import jsonschema

sys.dont_write_bytecode = True  # keep the source tree clean
from checks import exit_status, same
from run import ROOT, installed

CASES = ROOT / "tests/golden/migrate"


def main():
    accept = os.environ.get("SLIPWAY_ACCEPT") == "1" and "CI" not in os.environ
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        program = installed(sys.argv[1], folder / "prefix")

        def slipway(*words, cwd=folder):
            done = subprocess.run([program, *words], cwd=cwd, capture_output=True, text=True, timeout=120)
            return done.returncode, done.stdout, done.stderr

        for case in sorted(CASES.glob("*.yaml")):
            shutil.copy(case, folder / case.name)
            status, out, err = slipway("migrate", case.name)
            text = f"--- stderr\n{err}--- stdout\n{out}--- exit status {status}\n"
            expected = case.with_suffix(".out")
            if accept:
                expected.write_text(text)
            same(case.name, text, expected.read_text())
            same(f"{case.name} stays", (folder / case.name).read_text(), case.read_text())
            as_json(slipway, case, err, out, status)
            written(slipway, folder, case, out, status)
        nothing_to_do(slipway)
        from_v5(slipway, folder)
        without_last_newline(slipway, folder)
        in_braces(slipway, folder)
        refused(slipway, folder)
    return exit_status()


def as_json(slipway, case, err, out, status):
    """The same reasons and the same diff as without --json."""
    code, text, rest = slipway("migrate", "--json", case.name)
    found = json.loads(text)
    schema = json.loads((ROOT / "docs/schemas/migration-1.schema.json").read_text())
    same(f"{case.name} --json", [e.message for e in jsonschema.Draft202012Validator(schema).iter_errors(found)], [])
    notes = [f"{case.name}:{c['line']}: {'by hand: ' * c['by_hand']}{c['text']}" for c in found["changes"]]
    same(f"{case.name} --json: reasons", notes, [line for line in err.splitlines() if line.startswith(case.name + ":")])
    same(f"{case.name} --json: the rest", (code, rest, found["written"], found["diff"]), (status, "", False, out))


def written(slipway, folder, case, patch, status):
    file = folder / case.name
    patched = subprocess.run(["patch", "--silent", "-o", "-", case.name], input=patch, text=True, cwd=folder, capture_output=True)
    file.chmod(0o640)
    same(f"{case.name} --write", slipway("migrate", "--write", case.name)[:2], (status, f"{case.name}\n"))
    same(f"{case.name} as the diff says", file.read_text(), patched.stdout)
    same(f"{case.name} keeps its mode", file.stat().st_mode & 0o777, 0o640)
    comments = [line.strip() for line in case.read_text().splitlines() if line.strip().startswith("#")]
    same(f"{case.name}: comments", [line for line in comments if line not in file.read_text()], [])
    if status != 0:
        return
    same(f"{case.name} again", slipway("migrate", case.name), (0, "", f"{case.name} has nothing to migrate\n"))
    checked = slipway("check", case.name)
    same(f"{case.name}: check", (checked[0], "0 errors, 0 warnings" in checked[1] + checked[2]), (0, True))


def nothing_to_do(slipway):
    """Blueprints of today stay."""
    for file in sorted((ROOT / "examples").glob("*.yaml")):
        if not any(line.startswith("blueprint_name") for line in file.read_text().splitlines()):
            continue
        same(file.name, slipway("migrate", file.name, cwd=file.parent), (0, "", f"{file.name} has nothing to migrate\n"))


def from_v5(slipway, folder):
    """Blueprints of today, as they would have been with slurm-gcp v5, are migrated to ones without mistakes."""
    migrated = 0
    shutil.copytree(ROOT / "tests/golden/create", folder / "create")
    for file in sorted((folder / "create").glob("ok-*.yaml")):
        text = file.read_text()
        if not re.search(r"schedmd-slurm-gcp-v6-nodeset\b(?!-)", text) or slipway("check", str(file), cwd=file.parent)[0] != 0:
            continue
        for today, before in {r"v6-nodeset\b(?!-)": "v5-node-group", "v6-(partition|controller|login)": r"v5-\1"}.items():
            text = re.sub("schedmd-slurm-gcp-" + today, "schedmd-slurm-gcp-" + before, text)
        file.write_text(text)
        same(f"{file.name} from v5", slipway("migrate", "--write", str(file))[0], 0)
        same(f"{file.name} from v5: check", slipway("check", str(file), cwd=file.parent)[0], 0)
        migrated += 1
    same("blueprints from v5", migrated > 3, True)


def without_last_newline(slipway, folder):
    """What is inserted after the last line does not become a part of it."""
    case = CASES / "v4.yaml"
    file = folder / "cut.yaml"
    file.write_text(case.read_text())
    slipway("migrate", "--write", file.name)
    whole = file.read_text()
    file.write_text(case.read_text().rstrip("\n"))
    slipway("migrate", "--write", file.name)
    same("no newline at the end", file.read_text(), whole)
    file.write_text("blueprint_name: x")
    slipway("migrate", "--write", file.name)
    same("nothing to do without a newline", file.read_text(), "blueprint_name: x")


def in_braces(slipway, folder):
    """A module in braces has no room for lines: nothing is written."""
    file = folder / "braces.yaml"
    text = (CASES / "layouts.yaml").read_text()
    begin, end = text.index("  - id: braces\n"), text.index("  # A module has the name")
    text = text[:begin] + ("  - {id: braces, source: community/modules/compute/SchedMD-slurm-on-gcp-partition, settings: "
                           "{partition_name: braces, machine_type: c2-standard-60, max_node_count: 5}}\n") + text[end:]
    file.write_text(text)
    status, out, err = slipway("migrate", "--write", file.name)
    same("a module in braces", (status, out, "module `braces` is in braces" in err, file.read_text()), (1, "", True, text))


def refused(slipway, folder):
    (folder / "wrong.yaml").write_text("a: [1\n")
    status, out, err = slipway("migrate", "--write", "wrong.yaml")
    same("no YAML", (status, out, "error[E0101]" in err, (folder / "wrong.yaml").read_text()), (1, "", True, "a: [1\n"))
    same("no file", slipway("migrate", "none.yaml")[0], 1)
    same("no name", slipway("migrate")[0], 2)
    (folder / "empty.yaml").write_text("")
    same("an empty file", slipway("migrate", "empty.yaml")[:2], (0, ""))


if __name__ == "__main__":
    sys.exit(main())
