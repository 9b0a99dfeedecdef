#!/usr/bin/env python3
"""Measures `slipway metrics serve` on the state of a large cluster.

    metrics.py SLIPWAY [NODES [JOBS]]

sinfo and squeue are stand-ins that print recorded lines, as many as there are nodes and jobs. Prints how long a scrape takes, beside
a request that is answered without a text, how often the stand-ins ran during 200 scrapes, and the memory of the service.
"""
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

PORT = 19817


def write_stand_ins(folder, nodes, jobs):
    states = ["idle", "allocated", "mixed", "drained", "down*", "idle~"]
    lines = {
        "sinfo": [f"n-{i}|batch|{states[i % 6]}|1764104261|none" for i in range(nodes)],
        "squeue": [f"{i}|{'RUNNING' if i % 2 else 'PENDING'}|batch|user{i % 200}|account{i % 20}|4|1764104261" for i in range(jobs)],
    }
    for name, text in lines.items():
        (folder / f"{name}.txt").write_text("\n".join(text) + "\n", encoding="utf-8")
        program = folder / name
        program.write_text(f"#!/bin/sh\necho >>{folder}/calls\nexec cat {folder}/{name}.txt\n", encoding="utf-8")
        program.chmod(0o755)


def seconds_of(path):
    begin = time.monotonic()
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{PORT}{path}", timeout=60) as answer:
            size = len(answer.read())
    except urllib.error.HTTPError as error:
        size = len(error.read())
    return time.monotonic() - begin, size


def memory_mib(pid):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1]) / 1024
    return 0


def main():
    slipway = sys.argv[1]
    nodes, jobs = (int(word) for word in (sys.argv[2:] + ["1000", "5000"][len(sys.argv) - 2:])[:2])
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_stand_ins(folder, nodes, jobs)
        environment = dict(os.environ, PATH=f"{folder}:{os.environ['PATH']}")
        command = [slipway, "metrics", "serve", "--part", "slurm", "--listen", "127.0.0.1", "--port", str(PORT)]
        with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as service:
            service.stderr.readline()
            calls = len((folder / "calls").read_text(encoding="utf-8"))
            scrapes = [seconds_of("/metrics") for _ in range(200)]
            small = [seconds_of("/") for _ in range(200)]
            more = len((folder / "calls").read_text(encoding="utf-8")) - calls
            print(f"{nodes} nodes, {jobs} jobs: {scrapes[0][1] / 1024:.0f} KiB; a scrape takes {1000 * statistics.median(t for t, _ in scrapes):.1f} ms "
                  f"(median; most {1000 * max(t for t, _ in scrapes):.1f}), another request {1000 * statistics.median(t for t, _ in small):.1f}; "
                  f"{more} calls of sinfo and squeue meanwhile; {memory_mib(service.pid):.1f} MiB")
            service.terminate()


if __name__ == "__main__":
    main()
