#!/usr/bin/env python3
"""Tests `slipway health nhc` on an nhc.conf with every kind of line: usage: nhc.py SLIPWAY

What it prints is in tests/golden/nhc/NODE.out, and what it writes is a policy that `slipway health policy` reads. SLIPWAY_ACCEPT=1
rewrites the files.
"""
import os, pathlib, subprocess, sys, tempfile

sys.dont_write_bytecode = True  # keep the source tree clean
from checks import exit_status, same
from run import ROOT, installed

FOLDER = ROOT / "tests/golden/nhc"


def health(slipway, *words):
    return subprocess.run([slipway, "health", *words], cwd=FOLDER, capture_output=True, text=True, timeout=60)


def answers_match(slipway, node):
    done = health(slipway, "nhc", "site.conf", "--node", node)
    golden, text = FOLDER / f"{node}.out", f"{done.stderr}--- stdout\n{done.stdout}--- exit status {done.returncode}\n"
    if os.environ.get("SLIPWAY_ACCEPT") == "1":
        golden.write_text(text)
    same(node, text, golden.read_text() if golden.exists() else "")
    return done.stdout


def is_a_policy(slipway, text, folder):
    policy = folder / "health.yaml"
    policy.write_text(text)
    done = health(slipway, "policy", "--policy", policy)
    same("the policy: exit status", done.returncode, 0)
    same("the policy: problems", done.stderr, "")


def refuses(slipway, folder):
    (folder / "empty.conf").write_text("# nothing\n")
    for file, says in {folder / "empty.conf": "has no checks", folder / "missing.conf": "missing.conf", "/dev/zero": "/dev/zero"}.items():
        done = health(slipway, "nhc", file)
        same(f"{file}: exit status", done.returncode, 1)
        same(f"{file}: message", says in done.stderr, True)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        slipway = installed(sys.argv[1], folder / "prefix")
        for node in ("gpu001", "login1"):
            is_a_policy(slipway, answers_match(slipway, node), folder)
        refuses(slipway, folder)
    return exit_status()


if __name__ == "__main__":
    sys.exit(main())
