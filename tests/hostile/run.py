#!/usr/bin/env python3
"""Hostile input: whatever a file holds, `slipway check` says so soon, in little memory and few words.

usage: run.py SLIPWAY [--sanitized] [--report] [NAME...]     SLIPWAY is the built program; it need not be installed

Bounds are of processor time, which is the same on a busy machine; --report prints what each case took.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "golden"))
from run import installed  # noqa: E402

from cases import cases  # noqa: E402

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("slipway", type=pathlib.Path)
parser.add_argument("names", nargs="*")
parser.add_argument("--sanitized", action="store_true", help="sanitizers take their time and memory")
parser.add_argument("--report", action="store_true")
options = parser.parse_args()

SECONDS = 60 if options.sanitized else 5
PATIENCE = 120  # seconds: who does nothing for so long never ends
MEBIBYTES = 4000 if options.sanitized else 300
OUTPUT_BYTES = 32_000


def write(path, content):
    if content is not None:
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)


def run(slipway, case, folder):
    """Exit status, output, seconds of the processor's, or None when it did not end, MiB."""
    path = folder / "cluster.yaml"
    if case.make:
        case.make(path)
    else:
        write(path, case.text)
    write(folder / "module/module.yaml", case.module)
    write(folder / "vars.yaml", case.deployment_file)
    command = [slipway, "check", "cluster.yaml"]
    if case.deployment_file is not None:
        command += ["-d", "vars.yaml"]
    with open(folder / "output", "w+b") as output:
        begin = time.monotonic()
        child = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        pid = 0
        while pid == 0 and time.monotonic() - begin < PATIENCE:
            pid, status, usage = os.wait4(child.pid, os.WNOHANG)
            time.sleep(0.005)
        if pid == 0:
            child.kill()
            _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        seconds = None if pid == 0 else usage.ru_utime + usage.ru_stime
        output.seek(0)
        return child.returncode, output.read().decode(errors="replace"), seconds, usage.ru_maxrss / 1024


def faults(case, status, output, seconds, mebibytes):
    if seconds is None:
        yield f"did not end within {PATIENCE} s"
    elif seconds >= SECONDS:
        yield f"took more than {SECONDS} s"
    elif status != case.status:
        yield f"exit status {status}, not {case.status}"
    if mebibytes > MEBIBYTES:
        yield f"took {mebibytes:.0f} MiB"
    if case.says not in output:
        yield f"does not say `{case.says}`"
    if len(output) > OUTPUT_BYTES:
        yield f"prints {len(output)} bytes"


with tempfile.TemporaryDirectory() as scratch:
    scratch = pathlib.Path(scratch)
    slipway = installed(options.slipway, scratch / "prefix")
    failed = total = 0
    for case in cases():
        if options.names and not any(name in case.name for name in options.names):
            continue
        with tempfile.TemporaryDirectory(dir=scratch) as folder:
            status, output, seconds, mebibytes = run(slipway, case, pathlib.Path(folder))
        found = list(faults(case, status, output, seconds, mebibytes))
        total += 1
        failed += bool(found)
        if options.report:
            print(f"{seconds or PATIENCE:6.2f} s {mebibytes:6.0f} MiB  {case.name}")
        if found:
            print(f"{case.name}: {'; '.join(found)}\n{output[:1500]}\n")
    print(f"{total} inputs, {failed} failed")
    sys.exit(1 if failed or total == 0 else 0)
