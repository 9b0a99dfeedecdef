#!/usr/bin/env python3
"""How long things take on a local cluster that stands: local_life.py SLIPWAY QUICKSTART_BLUEPRINT ELASTIC_BLUEPRINT

Medians and ranges, in seconds. `power-off seen` is from `slipway fault` to the first `down*` of sinfo, with the time that Slurm is
given for it (SlurmdTimeout) as deployments have it.
"""
import os, pathlib, statistics, subprocess, sys, time

RUNS_EXEC, RUNS_START, RUNS_OFF = 50, 7, 2


class Deployment:
    def __init__(self, slipway, blueprint):
        self.slipway, self.name = slipway, f"bench-life-{os.getpid()}"
        self.run("deploy", "--quiet", blueprint, "--vars", f"deployment_name={self.name}")

    def run(self, *arguments):
        done = subprocess.run([self.slipway, *arguments], check=True, capture_output=True, text=True)
        return done.stdout

    def on(self, node, *command):
        return self.run("exec", self.name, node, "--", *command)

    def states(self):
        lines = self.on("controller", "sinfo", "--noheader", "--Node", "--format=%N %T").splitlines()
        return dict(line.split() for line in lines)

    def wait_for(self, node, state):
        while self.states()[node] != state:
            time.sleep(0.02)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.run("destroy", self.name)


def timed(action, *arguments):
    begin = time.monotonic()
    action(*arguments)
    return time.monotonic() - begin


def report(what, seconds):
    print(f"{what:<50} {statistics.median(seconds):8.3f} {min(seconds):8.3f} {max(seconds):8.3f} {len(seconds):5}")


def main():
    slipway, quickstart, elastic = sys.argv[1:]
    print(f"{'':<50} {'median':>8} {'least':>8} {'most':>8} {'runs':>5}")
    with Deployment(slipway, quickstart) as cluster:
        report("exec of true", [timed(cluster.on, "login", "true") for _ in range(RUNS_EXEC)])
        nodes = sorted(cluster.states())
        seen = []
        for node in nodes[:RUNS_OFF]:
            begin = time.monotonic()
            cluster.run("fault", cluster.name, node, "power-off")
            cluster.wait_for(node, "down*")
            seen.append(time.monotonic() - begin)
        report("power-off seen by Slurm (SlurmdTimeout=60)", seen)
    with Deployment(slipway, elastic) as cluster:
        node = max(cluster.states())
        assert cluster.states()[node] == "idle~", "the blueprint's last node is not off"
        started, there = [], []
        for _ in range(RUNS_START):
            started.append(timed(cluster.on, "controller", "srun", f"--nodelist={node}", "true"))
            there.append(timed(cluster.on, "controller", "srun", f"--nodelist={node}", "true"))
            cluster.wait_for(node, "idle~")
        report("srun of true on a node that has to start", started)
        report("srun of true on a node that is there", there)


main()
