#!/usr/bin/env python3
"""How many requests the reconciler makes in an hour on a quiet cluster of 1,000 nodes, beside the stand-in of Google Cloud: reconcile.py

Counted in five runs; the timer starts 60 in an hour. Root, or a user who may make namespaces.
"""
import pathlib, re, subprocess, sys

SYSTEM = pathlib.Path(__file__).resolve().parents[1] / "system"


def main():
    done = subprocess.run([SYSTEM / "run.py", SYSTEM / "measure_reconcile.bats"], capture_output=True, text=True)
    rows = re.findall(r"^# 1,000 nodes: (\d+) requests an hour to Compute Engine, (\d+) to Cloud Storage$", done.stdout, re.M)
    if done.returncode != 0 or not rows:
        sys.exit(f"{done.stdout}{done.stderr}")
    print("| machines of a quiet cluster | requests to Compute Engine | to Cloud Storage |\n| ---: | ---: | ---: |")
    for compute, storage in rows:
        print(f"| 1,000 | {compute} an hour | {storage} an hour |")


if __name__ == "__main__":
    main()
