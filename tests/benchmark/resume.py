#!/usr/bin/env python3
"""How long it takes to ask the cloud for 500 machines, and to delete them, beside the stand-in of Google Cloud: resume.py

Medians, from slurmctld's call to the last request. Root, or a user who may make namespaces.
"""
import pathlib, re, statistics, subprocess, sys

SYSTEM = pathlib.Path(__file__).resolve().parents[1] / "system"


def main():
    done = subprocess.run([SYSTEM / "run.py", SYSTEM / "measure_resume.bats"], capture_output=True, text=True)
    rows = re.findall(r"^# (\w+) of 500 nodes: ([\d.]+) s to the last request, (\d+) requests$", done.stdout, re.M)
    if done.returncode != 0 or not rows:
        sys.exit(f"{done.stdout}{done.stderr}")
    print("| | median s | least | most | requests |\n| --- | ---: | ---: | ---: | ---: |")
    for what in dict.fromkeys(row[0] for row in rows):
        seconds = [float(row[1]) for row in rows if row[0] == what]
        counts = sorted({int(row[2]) for row in rows if row[0] == what})
        print(f"| {what} of 500 nodes | {statistics.median(seconds):.2f} | {min(seconds):.2f} | {max(seconds):.2f} | {counts[0]}–{counts[-1]} |")


if __name__ == "__main__":
    main()
