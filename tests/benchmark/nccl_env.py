#!/usr/bin/env python3
"""What nccl_env costs a step: nccl_env.py SLIPWAY QUICKSTART_BLUEPRINT

srun of `true` on a local cluster with the plugin and without it, in pairs whose order alternates; times are taken on the login node.
The ratio of each pair, the median of all, and its 95 % interval by order statistics.
"""
import math, os, pathlib, statistics, subprocess, sys

PAIRS = {4: 100, 64: 20}
TASKS = {4: 32, 64: 64}


class Deployment:
    def __init__(self, slipway, blueprint, nodes):
        self.slipway, self.name = slipway, f"bench-nccl-{nodes}-{os.getpid()}"
        self.run("deploy", "--quiet", blueprint, "--vars", f"deployment_name={self.name}", "--nodes", f"a3mega_nodeset={nodes}")
        state = pathlib.Path(os.environ.get("XDG_STATE_HOME", pathlib.Path.home() / ".local/state"))
        base = pathlib.Path("/var/lib") if os.geteuid() == 0 else state
        self.plugstack = base / "slipway/deployments" / self.name / "slurm/plugstack.conf"
        self.lines = self.plugstack.read_text()

    def run(self, *arguments):
        return subprocess.run([self.slipway, *arguments], check=True, capture_output=True, text=True).stdout

    def seconds(self, with_plugin, nodes, tasks):
        lines = self.lines.splitlines(keepends=True)
        self.plugstack.write_text("".join(line for line in lines if with_plugin or "nccl_env.so" not in line))
        script = f"a=$(date +%s%N); srun -N{nodes} -n{tasks} --gpus-per-node=8 true; b=$(date +%s%N); echo $((b-a))"
        return int(self.run("exec", self.name, "login", "--", "sh", "-c", script)) / 1e9

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.run("destroy", self.name)


def interval(values):
    """Of the median: the ranks n/2 -+ 0.98 sqrt(n)."""
    half = 0.98 * math.sqrt(len(values))
    return sorted(values)[max(0, math.floor(len(values) / 2 - half))], sorted(values)[min(len(values), math.ceil(len(values) / 2 + half)) - 1]


def main():
    slipway, blueprint = sys.argv[1:]
    print(f"{'nodes':>5} {'tasks':>5} {'without s':>10} {'with s':>8} {'ratio':>6} {'from':>6} {'to':>6} {'pairs':>5}")
    for nodes, pairs in PAIRS.items():
        with Deployment(slipway, blueprint, nodes) as cluster:
            cluster.seconds(True, nodes, TASKS[nodes])
            times = {True: [], False: []}
            for i in range(pairs):
                for with_plugin in (True, False) if i % 2 else (False, True):
                    times[with_plugin].append(cluster.seconds(with_plugin, nodes, TASKS[nodes]))
            ratios = [a / b for a, b in zip(times[True], times[False])]
            low, high = interval(ratios)
            print(
                f"{nodes:5} {TASKS[nodes]:5} {statistics.median(times[False]):10.3f} {statistics.median(times[True]):8.3f} "
                f"{statistics.median(ratios):6.3f} {low:6.3f} {high:6.3f} {pairs:5}", flush=True)


main()
