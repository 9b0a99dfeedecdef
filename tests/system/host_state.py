#!/usr/bin/env python3
"""Prints everything that a deployment can leave on the host: namespaces, mounts, interfaces, daemons, files.

host_state.py DEPLOYMENTS_FOLDER
Zombies do not count: they are numbers that the host's init has yet to read, and some inits take their time.
"""
import os, pathlib, subprocess, sys


def processes():
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            name, state = entry.joinpath("stat").read_text().split("(", 1)[1].rsplit(")", 1)
            if state.split()[0] not in "ZX":
                yield entry, name
        except OSError:
            pass  # it has just ended


def namespaces_of(process):
    for kind in ("mnt", "net", "pid", "uts", "ipc", "user"):
        try:
            yield os.readlink(process / "ns" / kind)
        except OSError:
            pass


def section(title, lines):
    for line in sorted(lines):
        print(f"{title}: {line}")


alive = list(processes())
section("namespaces", {link for process, _ in alive for link in namespaces_of(process)})
section("daemons", [name for _, name in alive if name.startswith(("slurm", "munged", "slipway"))])
section("mounts", [" ".join(line.split()[1:3]) for line in open("/proc/self/mounts")])
links = subprocess.run(["ip", "-brief", "link"], capture_output=True, text=True, check=True).stdout
section("interfaces", [line.split()[0] for line in links.splitlines()])
folder = pathlib.Path(sys.argv[1])
section("deployments", [path.name for path in folder.iterdir()] if folder.is_dir() else [])
