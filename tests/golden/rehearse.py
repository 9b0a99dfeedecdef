#!/usr/bin/env python3
"""Checks `slipway rehearse`: usage: rehearse.py SLIPWAY

Its JSON must match the schema and agree with the table, its page must show every setting, the same arguments must give the same bytes, and invalid arguments
must be rejected with valid ones in the message.
"""
import json, pathlib, re, subprocess, sys, tempfile

sys.dont_write_bytecode = True  # keep the source tree clean
from page import Page
from run import breaks_schema, installed

FEW = ("--nodes", "64", "--runs", "20")
LIST = "whole numbers, with commas between them"
REFUSED = [
    (("--failures", "llama3"), "unknown failures `llama3`; known: llama-3, rsc-1, rsc-2, rsc-1-jobs", 2),
    (("--spares", "1.5"), f"--spares takes {LIST}", 2),
    (("--spares", "4,many"), f"--spares takes {LIST}", 2),
    (("--spares", ""), None, 0),
    (("--nodes", "0"), "--nodes takes a number from 1 to 1000000", 2),
    (("--days", "nan"), "--days takes a number above 0, up to 36500", 2),
    (("--blame", "0"), "--blame takes a number from 0.1 to 1", 2),
    (("--seed", "-1"), "--seed takes a whole number", 2),
    (("--checkpoint-interval", "0"), "--checkpoint-interval takes minutes above 0, with commas between them", 2),
    (("--checkpoint-cost", "0"), "--checkpoint-cost takes a number of seconds above 0", 2),
    (("--json", "--html", "x.html"), "--json and --html exclude each other", 2),
    (("--nodes", "1000000", "--runs", "1000000"), "failures, more than 5e+08", 1),
]


def main():
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        slipway = installed(sys.argv[1], pathlib.Path(folder) / "prefix")

        def run(*options):
            return subprocess.run([slipway, "rehearse", *options], capture_output=True, text=True, timeout=90)

        for failures in ("llama-3", "rsc-1", "rsc-2", "rsc-1-jobs"):
            options = (*FEW, "--failures", failures, "--spares", "0,3", "--checkpoint-interval", "20")
            text, data = run(*options), run(*options, "--json")
            if data.returncode != 0 or text.returncode != 0:
                problems.append(f"{failures}: {text.stderr}{data.stderr}")
                continue
            problems += [breaks_schema(data.stdout)] if breaks_schema(data.stdout) else []
            for setting in json.loads(data.stdout)["settings"]:
                line = f"{setting['spares']:>7}{'20.0 min':>12}  {setting['goodput']['mean']:>7.3f}"
                if line not in text.stdout:
                    problems.append(f"{failures}: no line `{line}` in\n{text.stdout}")
            if run(*options).stdout != text.stdout or run(*options, "--seed", "2").stdout == text.stdout:
                problems.append(f"{failures}: the seed does not determine the result")

        for options in (("--spares", "0,3"), ("--spares", "0,3,9", "--checkpoint-interval", "20"), ("--spares", "0", "--rate", "0.001")):
            page = run(*FEW, *options, "--html", "-").stdout
            settings = json.loads(run(*FEW, *options, "--json").stdout)["settings"]
            seen = Page(page)
            points = [float(y) for y in re.findall(r'<circle cx="[\d.]+" cy="([\d.]+)"', page)]
            if seen.open or seen.fetched or len(points) != len(settings) or not all(0 < y < 330 for y in points):
                problems.append(f"the page for {options}: {seen.open} {seen.fetched} {points}\n{page}")

        for options, message, status in REFUSED:
            done = run(*FEW, *options) if "--nodes" not in options else run(*options)
            if done.returncode != status or (message or "") not in done.stderr or (status and done.stdout):
                problems.append(f"{options}: {done}")
    print(*problems, sep="\n")
    print(f"{len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
