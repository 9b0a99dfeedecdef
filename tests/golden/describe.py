#!/usr/bin/env python3
"""Tests `slipway node describe` on recorded machines: usage: describe.py SLIPWAY

What it prints about each machine is in tests/golden/describe/NAME.out, and its profile matches the schema. SLIPWAY_ACCEPT=1
rewrites the files.
"""
import json, os, pathlib, subprocess, sys, tempfile

sys.dont_write_bytecode = True  # keep the source tree clean
from checks import exit_status, same
from recorded_machine import Machine
from recorded_machines import MACHINES
from run import ROOT, breaks_schema, installed

FOLDER = ROOT / "tests/golden/describe"


def describe(slipway, root, *words):
    return subprocess.run([slipway, "node", "describe", "--root", root, *words], capture_output=True, text=True, timeout=60)


def environment_of(profile):
    return [f"{one['name']}={one['value']}" for one in profile["transport"]["environment"]]


def page(slipway, root):
    """The text, and what jobs get from the profile."""
    done = describe(slipway, root)
    profile = json.loads(describe(slipway, root, "--json").stdout)
    near = {nic["name"]: nic["gpus"] for nic in profile["network_interfaces"] if "gpus" in nic}
    lines = [done.stdout, done.stderr, f"exit status {done.returncode}", "", *environment_of(profile),
             f"devices: {' '.join(profile['gpus']['devices'])}", f"near: {json.dumps(near)}"]
    return "\n".join(lines) + "\n"


def machine_matches(slipway, name, folder):
    root = folder / name
    MACHINES[name](Machine(root))
    golden, text = FOLDER / f"{name}.out", page(slipway, root)
    if os.environ.get("SLIPWAY_ACCEPT") == "1":
        golden.parent.mkdir(exist_ok=True)
        golden.write_text(text)
    same(name, text, golden.read_text() if golden.exists() else "")
    same(f"{name}: schema", breaks_schema(describe(slipway, root, "--json").stdout), "")


def writes_only_what_is_asked(slipway, folder):
    root, file = folder / "dgx-h100", folder / "etc/node.json"
    done = describe(slipway, root, "--output", file, "--node", "n7", "--cluster", "mine", "--role", "login")
    same("--output: exit status", done.returncode, 0)
    written = json.loads(file.read_text())
    same("--node, --cluster, --role", [written[key] for key in ("node", "cluster", "role", "target")], ["n7", "mine", "login", "hosts"])
    broken = folder / "dgx-h100-with-seven"
    file.unlink()
    same("not whole: exit status", describe(slipway, broken, "--output", file).returncode, 1)
    same("not whole: written", file.exists(), False)
    same("--as-found: exit status", describe(slipway, broken, "--output", file, "--as-found").returncode, 0)
    same("--as-found: GPUs", json.loads(file.read_text())["gpus"]["count"], 7)


def refuses(slipway, folder):
    root = folder / "cpu-node"
    (root / "etc/slurm/slurm.conf").unlink()
    done = describe(slipway, root)
    same("no cluster: exit status", done.returncode, 1)
    same("no cluster: says what to do", "--cluster NAME" in done.stderr, True)
    same("--transport: exit status", describe(slipway, root, "--transport", "sokcet").returncode, 1)
    same("--transport: suggestion", "socket" in describe(slipway, root, "--transport", "sokcet").stderr, True)
    same("--role: exit status", describe(slipway, root, "--role", "chief").returncode, 2)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        slipway = installed(sys.argv[1], folder / "prefix")
        for machine in MACHINES:
            machine_matches(slipway, machine, folder)
        writes_only_what_is_asked(slipway, folder)
        refuses(slipway, folder)
    return exit_status()


if __name__ == "__main__":
    sys.exit(main())
