#!/usr/bin/env python3
"""What looking at a node costs, and what it misses: health.py SLIPWAY BLUEPRINT [PROLOGS]

A node of a local cluster has eight simulated GPUs. `slipway health --stage prolog` is run on it as the SPANK plugin runs it, but without
telling Slurm: healthy; with NVML that hangs; PROLOGS (1000) times while two processes keep two cores busy and a third one writes
to 2 GiB of memory without end; and with each fault of the table. Times are of the whole program, from fork to exit, in ms.
First, what it costs a job: srun of `true` with both plugins and without any, in pairs whose order alternates, on the login node. On four nodes, and on
as many as the machine has processors: nodes of a cluster have processors of their own.
"""
import os, pathlib, statistics, subprocess, sys, time

RUNS = 200
PAIRS = 30

# Runs on the node. Prints the exit status and the milliseconds of each run.
LOOK = """
import subprocess, sys, time
for _ in range(int(sys.argv[1])):
    begin = time.monotonic()
    done = subprocess.run(["/opt/slipway/bin/slipway", "health", "--stage", "prolog"], stdout=subprocess.PIPE, text=True)
    print(done.returncode, (time.monotonic() - begin) * 1000, done.stdout.strip(), flush=True)
"""

LOAD = ["while True: pass", "while True: pass",
        "block = bytearray(2 << 30)\nwhile True:\n  for i in range(0, len(block), 4096): block[i] = (block[i] + 1) & 255"]

# Fault, and the finding that it is.
FAULTS = [
    ("gpu-missing 3", "gpu_count"), ("gpu-lost 3", "gpu_count"), ("gpu-xid 3 79", "gpu_xid"), ("gpu-xid 3 48", "gpu_xid"),
    ("gpu-xid 0 31", "gpu_xid"), ("gpu-ecc 5 2", "gpu_ecc"), ("gpu-ecc-corrected 5 5000", "gpu_ecc"), ("gpu-remap-failed 2", "gpu_rows"),
    ("gpu-pages 2 61", "gpu_pages"), ("gpu-nvlink 6 17", "gpu_nvlink"), ("gpu-pcie-width 0 8", "gpu_pcie"), ("gpu-pcie-gen 0 4", "gpu_pcie"),
    ("gpu-replays 0 500", "gpu_pcie"), ("gpu-throttled 4", "gpu_throttle"), ("gpu-celsius 1 95", "gpu_temperature"),
    ("gpu-watts 4 400", "gpu_power"), ("gpu-unloads 4", "gpu_persistence"), ("gpu-recovery 1 2", "gpu_recovery"), ("nvml-hang", "gpu gpu"),
    ("nvml-mismatch", "gpu_driver"), ("kernel-log oops", "kernel_log"), ("kernel-log memory-error", "kernel_log"),
    ("kernel-log disk-error", "kernel_log"), ("disk-full /run", "disk"), ("disk-full /tmp", "disk"), ("daemon-killed munged", "daemons"),
    ("link-down enp0s12", "nic_link"),
]


class Cluster:
    def __init__(self, slipway, blueprint):
        self.slipway, self.name = slipway, f"bench-health-{os.getpid()}"
        self.run("deploy", "--quiet", blueprint, "--vars", f"deployment_name={self.name}")
        lines = self.on("controller", "sinfo", "--noheader", "--Node", "--format=%N").split()
        self.node = lines[0]

    def run(self, *arguments):
        return subprocess.run([self.slipway, *arguments], check=True, capture_output=True, text=True).stdout

    def on(self, node, *command):
        return self.run("exec", self.name, node, "--", *command)

    def look(self, times=1):
        """(exit status, ms, output) of each check of the node."""
        lines = self.on(self.node, "/usr/bin/python3", "-c", LOOK, str(times)).splitlines()
        return [(int(status), float(ms), words) for status, ms, words in (line.split(" ", 2) for line in lines)]

    def job(self, nodes, with_plugins):
        """The ms of an srun. Nodes read plugstack.conf each time; those before it have been looked at again by then."""
        state = pathlib.Path(os.environ.get("XDG_STATE_HOME", pathlib.Path.home() / ".local/state"))
        base = pathlib.Path("/var/lib") if os.geteuid() == 0 else state
        plugstack = base / "slipway/deployments" / self.name / "slurm/plugstack.conf"
        lines = plugstack.read_text()
        plugstack.write_text("".join(line for line in lines.splitlines(True) if with_plugins or not line.startswith("include ")))
        script = f"a=$(date +%s%N); srun -N{nodes} -n{8 * nodes} true; b=$(date +%s%N); echo $((b-a))"
        ms = int(self.on("login", "sh", "-c", script)) / 1e6
        plugstack.write_text(lines)
        time.sleep(0.5)
        return ms

    def fault(self, *words):
        self.run("fault", self.name, self.node, *words)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.run("destroy", self.name)


def report(what, looks):
    times = sorted(ms for _, ms, _ in looks)
    at = lambda part: times[min(len(times) - 1, int(part * len(times)))]
    unfit = sum(status != 0 for status, _, _ in looks)
    print(f"{what:<36} {statistics.median(times):9.1f} {at(0.99):9.1f} {times[-1]:9.1f} {len(times):6} {unfit:6}", flush=True)


def main():
    slipway, blueprint = sys.argv[1:3]
    prologs = int(sys.argv[3]) if len(sys.argv) > 3 else 1000
    with Cluster(slipway, blueprint) as cluster:
        print(f"{'':<36} {'median':>9} {'p99':>9} {'most':>9} {'runs':>6} {'unfit':>6}")
        for nodes in sorted({4, min(4, os.cpu_count())}, reverse=True):
            times = {True: [], False: []}
            for i in range(PAIRS):
                for with_plugins in (True, False) if i % 2 else (False, True):
                    times[with_plugins].append((0, cluster.job(nodes, with_plugins), ""))
            report(f"srun -N{nodes} -n{8 * nodes}, without plugins", times[False])
            report(f"srun -N{nodes} -n{8 * nodes}, with both", times[True])
            ratios = sorted(a[1] / b[1] for a, b in zip(times[True], times[False]))
            print(f"{'  ratio in pairs':<36} {statistics.median(ratios):9.3f}", flush=True)
        report("healthy, 8 simulated GPUs", cluster.look(RUNS))
        cluster.fault("nvml-hang")
        report("NVML hangs", cluster.look(3))
        cluster.fault("clear")
        load = [subprocess.Popen([sys.executable, "-c", text]) for text in LOAD]
        try:
            report("healthy, under load", cluster.look(prologs))
        finally:
            for child in load:
                child.kill()
                child.wait()
        noticed = 0
        for words, check in FAULTS:
            cluster.fault(*words.split())
            # The worst finding comes first, then notes of the healthy node.
            said = cluster.on(cluster.node, "sh", "-c", "/opt/slipway/bin/slipway health --stage prolog --json; true")
            found = f'"check": "{check.split()[0]}"' in said
            noticed += found
            if not found:
                print("not noticed:", words)
            cluster.fault("clear")
            # A check that Slurm started may still be running, for as long as NVML has hung.
            cluster.on(cluster.node, "sh", "-c", "until /opt/slipway/bin/slipway health clear 2>/dev/null; do sleep 0.1; done")
        print(f"faults injected {len(FAULTS)}, noticed {noticed}")


main()
