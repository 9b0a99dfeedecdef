#!/usr/bin/env python3
"""What a container adds to a step of a real Slurm: container_cluster.py SLIPWAY QUICKSTART_BLUEPRINT [--gib 2] [--nodes 64] [--runs 10]

A local cluster runs `srun true` on 4 nodes and on all of them, without a container and in an image, in turns: the difference within
a pair is the container's, whatever else the machine does. All nodes are on this machine and share its processors, so the time on
many nodes is that of as many containers on one.

Before these, a first start on 4 nodes: the image is not in the page cache, and beside it one node unpacks the same image as
`enroot create` does before a first start. Only this is read from the disk.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile

from container_start import make_large_image

CLOCKED = 'began=$(date +%s%N); "$@"; status=$?; echo "$(($(date +%s%N) - began)) $status"'


class Cluster:
    def __init__(self, slipway, blueprint, nodes):
        self.slipway, self.name = slipway, f"cb{os.getpid()}"
        self.run("deploy", "--quiet", blueprint, "--vars", f"deployment_name={self.name}", "--nodes", f"a3mega_nodeset={nodes}")

    def run(self, *arguments, **more):
        return subprocess.run([self.slipway, *arguments], check=True, stdout=subprocess.PIPE, text=True, **more).stdout

    def on_login(self, *command, **more):
        return self.run("exec", self.name, "login", "--", *command, **more)

    def seconds(self, *command):
        """Of the command alone, without the way to the login node."""
        took, status = self.on_login("sh", "-c", CLOCKED, "sh", *command).split()[-2:]
        if status != "0":
            sys.exit(f"{' '.join(command)}: status {status}")
        return int(took) / 1e9


def tell(what, seconds):
    print(f"{what:44} {statistics.median(seconds):7.3f} s   ({min(seconds):.3f} to {max(seconds):.3f}, {len(seconds)} runs)", flush=True)


def compare(cluster, nodes, runs):
    step = ["srun", "--quiet", f"--nodes={nodes}", f"--ntasks={nodes}"]
    pairs = []
    for _ in range(runs):
        pairs.append((cluster.seconds(*step, "true"), cluster.seconds(*step, "--container-image=/home/image.sqsh", "true")))
    tell(f"srun on {nodes} nodes", [plain for plain, _ in pairs])
    tell("  in a container", [inside for _, inside in pairs])
    tell("  the container's part", [inside - plain for plain, inside in pairs])
    tell("  the container's part for a node", [(inside - plain) / nodes for plain, inside in pairs])


def first_start(cluster, nodes, runs):
    """In turns, both with an image that is not in the page cache."""
    drop = ["sh", "-c", "sync /home/image.sqsh && dd if=/home/image.sqsh iflag=nocache count=0 status=none"]
    unpack = "unsquashfs -no-progress -quiet -dest /home/unpacked /home/image.sqsh >/dev/null; status=$?; sync; exit $status"
    starts, unpacked = [], []
    for _ in range(runs):
        cluster.on_login(*drop)
        starts.append(cluster.seconds("srun", "--quiet", f"--nodes={nodes}", f"--ntasks={nodes}", "--container-image=/home/image.sqsh", "true"))
    for _ in range(max(1, runs // 5)):
        cluster.on_login(*drop)
        unpacked.append(cluster.seconds("srun", "--quiet", "--nodes=1", "sh", "-c", unpack))
        cluster.on_login("rm", "-rf", "/home/unpacked")
    tell(f"first start in a container on {nodes} nodes", starts)
    tell("  unpacking the image on one node", unpacked)
    print(f"  unpacking takes {statistics.median(unpacked) / statistics.median(starts):.0f} times as long", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("slipway")
    parser.add_argument("blueprint")
    parser.add_argument("--gib", type=float, default=2)
    parser.add_argument("--nodes", type=int, default=64)
    parser.add_argument("--runs", type=int, default=10)
    options = parser.parse_args()
    cluster = Cluster(options.slipway, options.blueprint, options.nodes)
    try:
        with tempfile.TemporaryDirectory(prefix="slipway-benchmark.") as folder:
            with open(make_large_image(folder, options.gib), "rb") as image:
                cluster.on_login("sh", "-c", "cat >/home/image.sqsh", stdin=image)
        cluster.seconds("srun", "--quiet", f"--nodes={options.nodes}", "true")  # the first steps of a cluster take longer
        print(f"load {os.getloadavg()[0]:.0f}", flush=True)
        first_start(cluster, min(4, options.nodes), options.runs)
        for nodes in sorted({min(4, options.nodes), options.nodes}):
            compare(cluster, nodes, options.runs)
        print(f"load {os.getloadavg()[0]:.0f}", flush=True)
    finally:
        cluster.run("destroy", cluster.name)


if __name__ == "__main__":
    main()
