#!/usr/bin/env python3
"""What a local cluster of some sizes costs: local_cluster.py SLIPWAY QUICKSTART_BLUEPRINT [NODES...]

`deploy` is the whole command, until every node is idle in Slurm. `per node` is its time for each node over that of the cluster of
64 nodes, or of the smallest without one: it says how the cost grows. `MiB` is what the machine's free memory lost to each node.
`srun` runs `hostname` on all nodes at once; a task that is lost ends the benchmark. Seconds are medians of the runs.
If the cost of a node grows by more than it should, the benchmark fails.
"""
import os, pathlib, statistics, subprocess, sys, tempfile, time

SIZES = (4, 64, 128, 250)
LARGEST = 128  # above, one run each
MOST_GROWTH = 1.3  # the time for a node of a larger cluster, over that of one with 64
NETWORK = "source: modules/network/vpc\n"
RANGE = "    settings: {default_primary_subnetwork_size: 6}\n"  # more than 1,000 machines in 10.0.0.0/9


def timed(*command, lines=None):
    """The seconds that it took, and fails with its output if it failed or printed another number of different lines."""
    begin = time.monotonic()
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    seconds = time.monotonic() - begin
    if done.returncode != 0 or lines not in (None, len(set(done.stdout.split()))):
        sys.exit(f"{' '.join(command)}: exit status {done.returncode}\n{done.stdout[-4000:]}")
    return seconds


def free_mib():
    fields = dict(line.split(":") for line in pathlib.Path("/proc/meminfo").read_text().splitlines())
    return int(fields["MemAvailable"].split()[0]) / 1024


def run(slipway, blueprint, name, nodes):
    before = free_mib()
    deploy = timed(slipway, "deploy", blueprint, "--vars", f"deployment_name={name}", "--quiet")
    try:
        memory = (before - free_mib()) / nodes
        srun = timed(slipway, "exec", name, "login", "--", "srun", f"--nodes={nodes}", "--quiet", "hostname", lines=nodes)
        status = timed(slipway, "status", name)
    finally:
        destroy = timed(slipway, "destroy", name)
    return deploy, memory, srun, status, destroy


def main():
    slipway, blueprint, *sizes = sys.argv[1:]
    text = pathlib.Path(blueprint).read_text()
    name = f"bench-{os.getpid()}"
    assert "node_count_static: 4" in text and NETWORK in text, "the blueprint has another nodeset or network"
    reference, worse = None, []
    print(f"{'nodes':>5} {'deploy s':>9} {'per node':>9} {'MiB':>6} {'srun s':>7} {'status s':>9} {'destroy s':>10} {'runs':>5}", flush=True)
    for nodes in [int(size) for size in sizes] or SIZES:
        runs = 7 if nodes < 64 else 3 if nodes <= LARGEST else 1
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as scaled:
            scaled.write(text.replace("node_count_static: 4", f"node_count_static: {nodes}").replace(NETWORK, NETWORK + RANGE))
            scaled.flush()
            measured = [run(slipway, scaled.name, name, nodes) for _ in range(runs)]
        deploy, memory, srun, status, destroy = (statistics.median(column) for column in zip(*measured))
        if reference is None or nodes == 64:
            reference = deploy / nodes
        if nodes > 64 and deploy / nodes > MOST_GROWTH * reference:
            worse.append(nodes)
        print(f"{nodes:5} {deploy:9.2f} {deploy / nodes / reference:8.2f}x {memory:6.1f} {srun:7.2f} {status:9.2f} {destroy:10.2f} {runs:5}", flush=True)
    if worse:
        sys.exit(f"the time for a node is more than {MOST_GROWTH} times that with 64 nodes: in clusters of {', '.join(map(str, worse))}")


main()
