#!/usr/bin/env python3
"""Asks the real Slurm about each value that our table of its keys takes: slurm_limits.py WRITER

WRITER prints them. Slurm reads its configuration before it says its version, and complains about what it does not take. Keys
that this Slurm is too old for are left out; all others must be taken without a word.
"""
import os, pathlib, shutil, subprocess, sys, tempfile

FIRST = "ClusterName=x\nSlurmctldHost=x\nSelectType=select/cons_tres\nGresTypes=gpu,tmp\n"


def said(folder, node, partition):
    """What Slurm says about a node and a partition with these settings."""
    (folder / "slurm.conf").write_text(f"{FIRST}NodeName=a {node}\nPartitionName=p Nodes=a {partition}\n")
    done = subprocess.run(["scontrol", "-V"], capture_output=True, text=True, timeout=60,
                          env={**os.environ, "SLURM_CONF": str(folder / "slurm.conf")})
    return done.stderr.strip()


def main():
    if not shutil.which("scontrol"):
        print("skipped: Slurm is not installed")
        return 77
    lines = subprocess.run(sys.argv[1:], capture_output=True, text=True, check=True).stdout.splitlines()
    failed = asked = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if complaint := said(folder, "CPUs=1", ""):
            print(f"FAIL: Slurm complains about a plain node: {complaint}")
            return 1
        for line in lines:
            kind, key, value = line.split(" ", 2)
            complaint = said(folder, f"{key}={value}" if kind == "node" else "CPUs=1", f"{key}={value}" if kind == "partition" else "")
            # What is kept from jobs has to be a part of the node.
            if f"unrecognized key: {key}" in complaint or key in ("CoreSpecCount", "CpuSpecList", "MemSpecLimit") and complaint:
                continue
            asked += 1
            if complaint:
                failed += 1
                print(f"FAIL {line}: {complaint.splitlines()[0]}")
    print(f"{asked} values, {failed} that Slurm does not take")
    return 1 if failed or asked < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
