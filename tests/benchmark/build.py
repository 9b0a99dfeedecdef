#!/usr/bin/env python3
"""What a change costs: a whole build, and one after a touched file, of two revisions.

    tests/benchmark/build.py OLD [NEW]

Compares OLD with NEW (default HEAD). Both are built at the same time from scratch, as scripts/setup.sh builds them with
tests, without ccache, each on a processor of its own, so that other work on the machine slows down both alike: read the
ratio. Then the touched files, in turn: the time until everything is built and the tests of that room have run.
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import time

# What is touched, and the unit tests of its room.
TOUCHED = {
    "launcher/source/render.cc": "unit source",
    "launcher/expression/unify.cc": "unit expression",
    "launcher/local/network.cc": "unit local",
    "launcher/job/blame.cc": "unit job",
    "nccl-tests/verdict.cc": "unit nccl-tests",
    "common/text.h": "unit common",
}
ENVIRONMENT = {**os.environ, "CXX": "g++", "CCACHE_DISABLE": "1"}


def timed(command: list[str], folder: pathlib.Path) -> tuple[float, float]:
    """Runs a command; its wall-clock and processor seconds, those of its children included."""
    start = time.monotonic()
    child = subprocess.Popen(command, cwd=folder, env=ENVIRONMENT, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit(f"error: {' '.join(command)} failed in {folder}")
    return time.monotonic() - start, usage.ru_utime + usage.ru_stime


def check_out(revision: str, folder: pathlib.Path) -> pathlib.Path:
    folder.mkdir()
    with subprocess.Popen(["git", "archive", revision], stdout=subprocess.PIPE) as archive:
        subprocess.run(["tar", "-x", "-C", folder], stdin=archive.stdout, check=True)
    if archive.returncode != 0:
        sys.exit(f"error: git has no revision {revision}")
    return folder


def build_all(folders: list[pathlib.Path]) -> list[float]:
    """Processor seconds to build each folder, all at the same time."""
    processors = sorted(os.sched_getaffinity(0))
    children = []
    for i, folder in enumerate(folders):
        command = ["taskset", "--cpu-list", str(processors[i % len(processors)]), "bash", "-c",
                   "set -e; . scripts/setup.sh; build_slipway tests"]
        children.append(subprocess.Popen(command, cwd=folder, env=ENVIRONMENT, stdout=subprocess.DEVNULL))
    seconds = []
    for child, folder in zip(children, folders):
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode != 0:
            sys.exit(f"error: {folder} was not built")
        seconds.append(usage.ru_utime + usage.ru_stime)
    return seconds


def change(folder: pathlib.Path, file: str, tests: str) -> tuple[float, float]:
    (folder / file).touch()
    build = timed(["ninja", "-C", "build"], folder)
    test = timed(["meson", "test", "-C", "build", "--no-rebuild", tests], folder)
    return build[0] + test[0], build[1] + test[1]


def main() -> None:
    if len(sys.argv) not in (2, 3):
        sys.exit("usage: tests/benchmark/build.py OLD [NEW]")
    revisions = [sys.argv[1], sys.argv[2] if len(sys.argv) == 3 else "HEAD"]
    with tempfile.TemporaryDirectory(prefix="slipway-build.") as temporary:
        folders = [check_out(revision, pathlib.Path(temporary) / name)
                   for revision, name in zip(revisions, ("old", "new"))]
        print("| | old | new | ratio |\n| --- | ---: | ---: | ---: |")
        old, new = build_all(folders)
        print(f"| everything, processor s | {old:.0f} | {new:.0f} | {new / old:.2f} |", flush=True)
        for file, tests in TOUCHED.items():
            old, new = (change(folder, file, tests) for folder in folders)
            print(f"| `{file}`, s | {old[0]:.1f} | {new[0]:.1f} | {new[0] / old[0]:.2f} |")
            print(f"| `{file}`, processor s | {old[1]:.1f} | {new[1]:.1f} | {new[1] / old[1]:.2f} |", flush=True)


if __name__ == "__main__":
    main()
