#!/usr/bin/env python3
"""Checks that a sanitized build finds mistakes: usage: found_test.py MISTAKES COMPILER

The build leaves some checks out of other projects' headers (checked.txt). In our code, each must end the program."""
import os, subprocess, sys

WANTED = ["heap-buffer-overflow", "heap-use-after-free", "null pointer", "misaligned address", "integer overflow",
          "shift exponent", "detected memory leaks", "_M_is_engaged"]
if sys.argv[2] == "clang":  # g++ does not have this check
    WANTED.append("incorrect function type")


def run(*words):
    return subprocess.run([sys.argv[1], *words], capture_output=True, text=True, timeout=60, env=dict(os.environ))


failed = []
if run().returncode != 0:
    failed.append("without a mistake, it fails")
for mistake in WANTED:
    done = run(mistake)
    if done.returncode in (0, 2) or mistake not in done.stderr:
        failed.append(f"not found: {mistake} (exit status {done.returncode})\n{done.stderr}")
print(*failed, sep="\n")
print(f"{len(WANTED)} mistakes, {len(failed)} problems")
sys.exit(1 if failed else 0)
