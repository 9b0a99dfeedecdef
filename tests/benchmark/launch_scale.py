#!/usr/bin/env python3
"""What `slipway launch` itself uses for a job of 16,384 ranks: launch_scale.py SLIPWAY LAUNCH_AGENTS [NODES [OPTION...]]

NODES is 2,048 by default, with eight ranks each and 128 spares; OPTIONs are for `slipway launch`. The launcher is the real program, in an allocation that
is not there: another process plays srun and all agents, over real connections (launch_agents.cc), and a script plays scontrol. Figures are of the
launcher alone, in seconds, processor seconds, messages and megabytes. The output of the ranks must be complete.
"""
import os, pathlib, subprocess, sys, tempfile

RANKS, SPARES = 8, 128
SCONTROL = """#!/bin/sh
case "$*" in
  "show hostnames "*) seq -f 'cluster-nodeset-%.0f' 0 $((PLAYED_NODES - 1)) ;;
  "show job "*) echo "JobId=1 JobName=large UserId=root(0) JobState=RUNNING OverSubscribe=NO Requeue=1 Restarts=0" ;;
esac
"""


def lines_of(path):
    lines = others = 0
    with open(path, "rb") as file:
        for line in file:
            if len(line) == 100 and line.startswith(b"rank "):
                lines += 1
            else:
                others += 1
    return lines, others


def main():
    slipway, agents = map(os.path.abspath, sys.argv[1:3])
    nodes = int(sys.argv[3]) if len(sys.argv) > 3 else 2048
    spares = min(SPARES, nodes)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        folder.joinpath("srun").symlink_to(agents)
        folder.joinpath("scontrol").write_text(SCONTROL)
        folder.joinpath("scontrol").chmod(0o755)
        environment = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}", "PLAYED_NODES": str(nodes + spares), "PLAYED_REPORT": f"{folder}/report",
                       "SLURM_JOB_ID": "1", "SLURM_JOB_NODELIST": f"cluster-nodeset-[0-{nodes + spares - 1}]", "SLURM_NTASKS_PER_NODE": str(RANKS),
                       "SLURMD_NODENAME": "cluster-nodeset-0"}
        command = [slipway, "launch", "--no-kill", "--mpi", "none", "--heartbeat", "60", "--spares", str(spares), *sys.argv[4:], "--", "true"]
        with open(folder / "out", "wb") as out, open(folder / "err", "wb") as err:
            status = subprocess.run(command, cwd=folder, env=environment, stdout=out, stderr=err, timeout=1500).returncode
        messages = folder.joinpath("err").read_text(errors="replace")
        report = folder.joinpath("report").read_text() if folder.joinpath("report").exists() else ""
        if not report:
            sys.exit(f"status {status}\n{messages}")
        print(f"{nodes} nodes, {nodes * RANKS} ranks, {spares} spares")
        print(report, end="")
        lines, others = lines_of(folder / "out")
        print(f"lines that arrived: {lines}, and {others} others")
        ledger = next(folder.glob("slipway-ledger-*.jsonl"))
        print(f"ledger: {ledger.stat().st_size / 1e6:.1f} MB")
        print(f"what the launcher said: {len(messages.splitlines())} lines, the longest of {max(map(len, messages.splitlines()))} characters")
        if status != 0 or f"lines written by ranks: {lines}\n" not in report or others:
            sys.exit(f"status {status}\n{messages[-4000:]}")


main()
