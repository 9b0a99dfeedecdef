#!/usr/bin/env python3
"""Compares the values of expressions with those that Terraform computes.

usage: compare.py EVALUATE_LINES

The expressions are in expressions.txt. Terraform's values are computed if Terraform 1.11 is in PATH; otherwise they come
from results.json. SLIPWAY_ACCEPT=1 writes that file; it is refused if CI is set. An expression that fails in one must fail
in the other.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
RESULTS = HERE / "results.json"
ERROR = {"error": True}
# Terraform without the user's settings and without a check for newer versions.
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("TF_")}
ENVIRONMENT["CHECKPOINT_DISABLE"] = "1"


def has_terraform():
    if not shutil.which("terraform"):
        return False
    version = json.loads(run(["terraform", "version", "-json"], env=ENVIRONMENT, stderr=subprocess.DEVNULL))
    return version["terraform_version"].startswith("1.11.")


def expressions():
    lines = (HERE / "expressions.txt").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def run(command, **options):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, encoding="utf-8", **options).stdout


def by_terraform(lines):
    with tempfile.TemporaryDirectory() as folder:
        outputs = []
        for i, line in enumerate(lines):
            expression = line.replace("⏎", "\n")
            outputs.append(f'output "e{i}" {{\n  value = try({{value = jsonencode(nonsensitive({expression}\n))}}, '
                           '{error = true})\n}\n')
        pathlib.Path(folder, "main.tf").write_text("".join(outputs), encoding="utf-8")
        options = {"cwd": folder, "env": ENVIRONMENT}
        run(["terraform", "apply", "-auto-approve", "-input=false", "-no-color"], **options)
        values = json.loads(run(["terraform", "output", "-json"], **options))
    results = []
    for i in range(len(lines)):
        result = values[f"e{i}"]["value"]
        results.append({"value": json.loads(result["value"])} if "value" in result else ERROR)
    return results


def recorded(lines):
    known = json.loads(RESULTS.read_text(encoding="utf-8"))
    return [known[line] for line in lines]


def by_us(program, lines):
    printed = run([program], input="".join(line + "\n" for line in lines)).splitlines()
    return [json.loads(line) for line in printed]


def same(ours, theirs):
    """True if the values are equal up to double precision."""
    if isinstance(ours, float) or isinstance(theirs, float):
        numbers = all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in (ours, theirs))
        return numbers and abs(ours - theirs) <= 1e-15 * abs(theirs)
    if isinstance(ours, list) and isinstance(theirs, list):
        return len(ours) == len(theirs) and all(map(same, ours, theirs))
    if isinstance(ours, dict) and isinstance(theirs, dict):
        return ours.keys() == theirs.keys() and all(same(value, theirs[key]) for key, value in ours.items())
    return type(ours) is type(theirs) and ours == theirs


def main():
    lines = expressions()
    accept = os.environ.get("SLIPWAY_ACCEPT") == "1"
    if accept and "CI" in os.environ:
        sys.exit("SLIPWAY_ACCEPT is refused in CI")
    if has_terraform():
        theirs = by_terraform(lines)
        if accept:
            text = ",\n".join(f"{json.dumps(line, ensure_ascii=False)}: {json.dumps(result, ensure_ascii=False)}"
                              for line, result in sorted(zip(lines, theirs)))
            RESULTS.write_text("{\n" + text + "\n}\n", encoding="utf-8")
    else:
        theirs = recorded(lines)
    failed = 0
    for line, ours, other in zip(lines, by_us(sys.argv[1], lines), theirs, strict=True):
        agree = "error" in other if "error" in ours else same(ours.get("value"), other.get("value", ERROR))
        if not agree:
            failed += 1
            print(f"{line}\n  here:      {json.dumps(ours, ensure_ascii=False)}\n"
                  f"  Terraform: {json.dumps(other, ensure_ascii=False)}")
    print(f"{len(lines) - failed} of {len(lines)} expressions agree")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
