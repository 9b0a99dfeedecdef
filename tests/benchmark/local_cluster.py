#!/usr/bin/env python3
"""How long a local cluster takes to come up and go down: local_cluster.py SLIPWAY QUICKSTART_BLUEPRINT

Each row is the median of several runs; `deploy` is the whole command, until every node is idle in Slurm.
The last column is the time for each node over that of the smallest cluster: it says how the cost grows.
"""
import os, pathlib, statistics, subprocess, sys, tempfile, time

SIZES = (4, 64, 128)
RUNS = {4: 7, 64: 3, 128: 3}


def timed(*command):
    begin = time.monotonic()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.monotonic() - begin


def main():
    slipway, blueprint = sys.argv[1:]
    text = pathlib.Path(blueprint).read_text()
    name = f"bench-{os.getpid()}"
    assert "node_count_static: 4" in text, "the blueprint's nodeset has another size than 4"
    first = None
    print(f"{'nodes':>5} {'deploy s':>9} {'destroy s':>9} {'per node':>9}")
    for nodes in SIZES:
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as scaled:
            scaled.write(text.replace("node_count_static: 4", f"node_count_static: {nodes}"))
            scaled.flush()
            up, down = [], []
            for _ in range(RUNS[nodes]):
                up.append(timed(slipway, "deploy", scaled.name, "--vars", f"deployment_name={name}"))
                down.append(timed(slipway, "destroy", name))
        deploy = statistics.median(up)
        first = first or deploy / nodes
        print(f"{nodes:5} {deploy:9.2f} {statistics.median(down):9.2f} {deploy / nodes / first:8.2f}x")


main()
