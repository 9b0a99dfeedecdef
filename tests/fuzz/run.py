#!/usr/bin/env python3
"""Runs one fuzz target for a bounded time.

    run.py PROGRAM CORPUS... [--seconds N] [--seed N]

Starts from every file of the folders CORPUS but golden output (*.out); what the fuzzer adds to them is thrown away.
An input that crashes, hangs, leaks or breaks a property is kept in ./fuzz-findings, with the command that runs it again.
"""

import argparse
import pathlib
import shutil
import subprocess
import sys
import tempfile

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("program", type=pathlib.Path)
parser.add_argument("corpus", type=pathlib.Path, nargs="+")
parser.add_argument("--seconds", type=int, default=20)
parser.add_argument("--seed", type=int, default=0, help="0: another one each time")
options = parser.parse_args()

program = options.program.resolve()
findings = pathlib.Path.cwd() / "fuzz-findings" / program.name
before = set(findings.glob("*"))
findings.mkdir(parents=True, exist_ok=True)

with tempfile.TemporaryDirectory() as scratch:
    corpus = pathlib.Path(scratch) / "corpus"
    corpus.mkdir()
    seeds = [file for folder in options.corpus for file in folder.rglob("*") if file.is_file() and file.suffix != ".out"]
    for number, seed in enumerate(seeds):
        shutil.copy(seed, corpus / f"{number:03}-{seed.name}")
    # An empty folder to run in, because blueprints name files and folders.
    empty = pathlib.Path(scratch) / "empty"
    empty.mkdir()
    limits = ["-timeout=20", "-rss_limit_mb=1024", "-max_len=4096", f"-max_total_time={options.seconds}",
              f"-seed={options.seed}"]
    dictionary = pathlib.Path(__file__).with_name("slipway.dict").resolve()
    command = [program, *limits, f"-dict={dictionary}", f"-artifact_prefix={findings}/", corpus]
    run = subprocess.run(command, cwd=empty, capture_output=True, text=True, errors="replace")

print("\n".join(run.stderr.splitlines()[-60:]))
for finding in sorted(set(findings.glob("*")) - before):
    print(f"\nto run it again: {program} {finding}")
if not any("DONE" in line for line in run.stderr.splitlines()):
    print(f"{program.name} did not come to its end (exit status {run.returncode})")
    sys.exit(1)
sys.exit(run.returncode)
