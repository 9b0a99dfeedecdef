#!/usr/bin/env python3
"""Changes what blueprints are made of, at random: structures.py SLIPWAY [SEED [CHANGES]]

Modules are copied, moved to other groups, exchanged for others of the library, and lose or get settings, uses and kinds.
`slipway check` must answer each with what is right or wrong about it, whatever that is: it may not crash, and its JSON says
the same as its exit status. The same seed makes the same changes.
"""
import concurrent.futures, copy, json, os, pathlib, random, subprocess, sys, tempfile

import yaml

sys.dont_write_bytecode = True  # keep the source tree clean
from run import HERE, ROOT, installed

SOURCES = sorted(str(file.parent.relative_to(ROOT / "blueprints")) for file in (ROOT / "blueprints").rglob("module.yaml"))
VALUES = [None, True, 7, -1, "", "text", "$(vars.zone)", "$(network)", "((var.x))", [], [1], ["a", {"b": []}], {}, {"a": {"b": 1}}]


def blueprints():
    """Those that the compiler understands, by file."""
    for file in sorted([*(ROOT / "examples").glob("*.yaml"), *(HERE / "create").glob("*.yaml"), *(HERE / "blueprint").glob("ok-*.yaml")]):
        document = yaml.safe_load(file.read_text())
        if isinstance(document, dict) and document.get("deployment_groups"):
            yield file, document


def places(document):
    """Each group with the position of one of its modules."""
    return [(group, position) for group in document["deployment_groups"] if isinstance(group, dict)
            for position, module in enumerate(group.get("modules") or []) if isinstance(module, dict)]


def change(document, rng):
    found = places(document)
    if not found:
        return
    group, position = rng.choice(found)
    other, _ = rng.choice(found)
    module = group["modules"][position]
    settings = module.get("settings") if isinstance(module.get("settings"), dict) else {}
    what = rng.randrange(9)
    if what == 0:
        other["modules"].append({**copy.deepcopy(module), "id": f"copy{rng.randrange(100)}"})
    elif what == 1:
        other["modules"].append(group["modules"].pop(position))
    elif what == 2:
        module["source"] = rng.choice(SOURCES)
    elif what == 3:
        module["kind"] = rng.choice(["packer", "terraform", "none"])
    elif what == 4 and settings:
        del settings[rng.choice(list(settings))]
    elif what == 5:
        module["settings"] = {**settings, rng.choice([*settings, "name", "machine_type", "network_storage"]): rng.choice(VALUES)}
    elif what == 6:
        module["use"] = [rng.choice(found)[0]["modules"][0].get("id") for _ in range(rng.randrange(4))]
    elif what == 7:
        del group["modules"][position]
    else:
        rng.shuffle(document["deployment_groups"])


def problem(slipway, file, document, scratch):
    """Why the answer to the document is wrong. It is next to the original, whose files it may name."""
    with tempfile.NamedTemporaryFile("w", suffix=".yaml", prefix=".structures-", dir=scratch / file.parent.name) as changed:
        yaml.safe_dump(document, changed, sort_keys=False)
        changed.flush()
        done = subprocess.run([slipway, "check", changed.name, "--diagnostics=json"], capture_output=True, timeout=120)
    if done.returncode not in (0, 1):
        return f"exit status {done.returncode}"
    try:
        errors = json.loads(done.stderr)["errors"]
    except ValueError:
        return f"no JSON: {done.stderr[-200:]}"
    return "" if (errors > 0) == (done.returncode == 1) else f"{errors} errors, exit status {done.returncode}"


def main():
    seed, changes = int(sys.argv[2]) if len(sys.argv) > 2 else 1, int(sys.argv[3]) if len(sys.argv) > 3 else 300
    rng = random.Random(seed)
    originals = list(blueprints())
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        scratch = pathlib.Path(name)
        slipway = installed(sys.argv[1], scratch / "prefix")
        for folder in {file.parent for file, _ in originals}:
            subprocess.run(["cp", "-r", folder, scratch], check=True)
        cases = []
        for _ in range(changes):
            file, document = rng.choice(originals)
            document = copy.deepcopy(document)
            for _ in range(rng.choice([1, 1, 2, 4, 8])):
                change(document, rng)
            cases.append((file, document))
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for (file, document), found in zip(cases, pool.map(lambda case: problem(slipway, *case, scratch), cases)):
                if found:
                    failed += 1
                    print(f"FAIL {file.name}: {found}\n{yaml.safe_dump(document, sort_keys=False)}")
    print(f"{len(cases)} blueprints from seed {seed}, {failed} failed")
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
