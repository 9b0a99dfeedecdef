#!/usr/bin/env python3
"""The bandwidth programs against others, and the scan against what it must find. Prints tables in Markdown.

    bandwidth.py SLIPWAY BLUEPRINT PLAIN_ALL_GATHER [--only mpi|tcp|scan|cluster]
"""
import argparse
import os
import pathlib
import random
import re
import statistics
import subprocess
import sys
import tempfile

MPIRUN = ["mpirun", "--oversubscribe", "--allow-run-as-root", "-n", "2"]
ENVIRONMENT = {**{k: v for k, v in os.environ.items() if not k.startswith(("SLURM_", "PMIX_", "OMPI_"))},
               "OMPI_MCA_mpi_yield_when_idle": "1"}


def out(command, **options):
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    if done.returncode not in (0, 1):
        sys.exit(f"{' '.join(map(str, command))}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def time_of(table):
    """Microseconds out of place, of a table of one row."""
    rows = [line.split() for line in table.splitlines() if line and line[0] != "#"]
    return float(next(row for row in rows if len(row) == 13)[5])


def in_turn(first, second, pairs=21):
    """Medians of both, and of their ratios: what the machine does meanwhile meets both."""
    times = [(first(), second()) for _ in range(pairs)]
    return (statistics.median(a for a, _ in times), statistics.median(b for _, b in times),
            statistics.median(b / a for a, b in times))


def against_plain_loop(perf, plain):
    print("\nall_gather_perf --backend mpi against a plain loop over MPI_Allgather, 2 ranks, out of place, median us:\n")
    print("| size | plain | all_gather_perf | ratio |\n| ---: | ---: | ---: | ---: |")
    for size, iterations in ((1 << 10, 20000), (64 << 10, 1000), (1 << 20, 200), (16 << 20, 20)):
        ours = [*MPIRUN, perf, "all_gather", "--backend", "mpi", "-b", str(size), "-e", str(size), "-n", str(iterations), "-c", "0"]
        theirs = [*MPIRUN, plain, str(size), str(iterations)]
        a, b, ratio = in_turn(lambda: float(out(theirs, env=ENVIRONMENT)), lambda: time_of(out(ours, env=ENVIRONMENT)))
        print(f"| {size >> 10} KiB | {a:.2f} | {b:.2f} | {ratio:.3f} |", flush=True)


def against_mpi_over_tcp(slipway, blueprint):
    print("\n--backend tcp against --backend mpi over TCP (btl tcp,self), 2 nodes of a local cluster, all_gather, GB/s:\n")
    print("| size | Open MPI over TCP | tcp | tcp / Open MPI |\n| ---: | ---: | ---: | ---: |")
    name = "bench-bandwidth"
    out([slipway, "deploy", blueprint, "--vars", f"deployment_name={name}"])
    try:
        for size in (1, 16, 64, 256):
            sizes = ["-b", f"{size}M", "-e", f"{size}M", "-n", "5", "-c", "0"]
            over = ["env", "OMPI_MCA_btl=tcp,self", "OMPI_MCA_pml=ob1", "OMPI_MCA_mpi_yield_when_idle=1", "srun", "--nodes=2",
                    "--mpi=pmix", "/opt/slipway/bin/all_gather_perf", "--backend", "mpi", *sizes]
            ours = ["srun", "--nodes=2", "--mpi=none", "/opt/slipway/bin/all_gather_perf", "--backend", "tcp", *sizes]
            on = [slipway, "exec", name, "login", "--"]
            a, b, _ = in_turn(lambda: time_of(out([*on, *over])), lambda: time_of(out([*on, *ours])), 5)
            busbw = (size << 20) / 2 / 1e3
            print(f"| {size} MiB | {busbw / a:.2f} | {busbw / b:.2f} | {a / b:.2f} |", flush=True)
    finally:
        out([slipway, "destroy", name])


def scans(scan, seeds, options):
    """(every slow one found, no healthy one named, most rounds) over the seeds."""
    missed = named = most_rounds = 0
    with tempfile.TemporaryDirectory() as folder:
        world = pathlib.Path(folder) / "world.yaml"
        for seed in range(1, seeds + 1):
            chosen = random.Random(seed)
            slow = {f"node-{n}" for n in chosen.sample(range(512), chosen.randint(1, 5))}
            world.write_text(f"nodes: 512\ngb_per_s: 25\nnoise: 0.05\nseed: {seed}\n"
                             f"slow_nodes: {{{', '.join(f'{n}: 0.8' for n in sorted(slow))}}}\n")
            text = out([scan, "--backend", "sim", "--world", world, "--seed", str(seed), *options])
            found = set(re.findall(r"^node: (node-[0-9]+)", text, re.M))
            blamed = found | set(re.findall(r"(node-[0-9]+)", "\n".join(re.findall(r"^link: between.*?:", text, re.M))))
            missed += len(slow - found)
            named += len(blamed - slow)
            most_rounds = max(most_rounds, int(re.search(r"pairs in ([0-9]+) rounds", text)[1]))
    return missed, named, most_rounds


def scan_of_512(scan):
    print("\nbandwidth_scan on sim: 512 nodes, 1 to 5 slow ones at 20 % below, 5 % noise, 200 seeds:\n")
    print("| a pair is | slow nodes missed | healthy nodes named | rounds at most |\n| --- | ---: | ---: | ---: |")
    for what, options in (("sampled as by default", []),
                          ("6 samples of one operation", ["--precision", "0", "--samples", "6", "--iters", "1"]),
                          ("one operation alone", ["--precision", "0", "--samples", "1", "--iters", "1"])):
        print("| {} | {} | {} | {} |".format(what, *scans(scan, 200, options)), flush=True)


def scan_of_a_cluster(slipway, blueprint):
    print("\nbandwidth_scan on a local cluster of 16 nodes, the interface of one at 50 Mbit/s:\n")
    print("| slow node | named | rounds |\n| --- | --- | ---: |")
    name = "benchscan"
    out([slipway, "deploy", blueprint, "--vars", f"deployment_name={name}", "--nodes", "a3mega_nodeset=16"])
    try:
        for slow in (0, 3, 6, 9, 12, 15, None):
            node = f"{name}-a3meganodeset-{slow}"
            if slow is not None:
                subprocess.run([slipway, "fault", name, node, "link-rate", "enp0s12", "50mbit"], check=True, capture_output=True)
            text = out([slipway, "exec", name, "login", "--", "srun", "--nodes=16", "--mpi=none", "/opt/slipway/bin/bandwidth_scan",
                        "-b", "2M", "-n", "2", "--precision", "0", "--samples", "3", "--detect", "80"])
            if slow is not None:
                subprocess.run([slipway, "fault", name, node, "clear"], check=True, capture_output=True)
            named = re.findall(r"^(?:node|link|block|inconclusive): .*?a3meganodeset-([0-9]+)", text, re.M)
            rounds = re.search(r"pairs in ([0-9]+) rounds", text)[1]
            print(f"| {'none' if slow is None else slow} | {', '.join(named) or 'none'} | {rounds} |", flush=True)
    finally:
        out([slipway, "destroy", name])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("slipway")
    parser.add_argument("blueprint")
    parser.add_argument("plain")
    parser.add_argument("--only", choices=["mpi", "tcp", "scan", "cluster"])
    args = parser.parse_args()
    programs = pathlib.Path(args.slipway).absolute().parent
    if args.only in (None, "scan"):
        scan_of_512(programs / "bandwidth_scan")
    if args.only in (None, "mpi"):
        against_plain_loop(programs / "bandwidth_perf", args.plain)
    if args.only in (None, "cluster"):
        scan_of_a_cluster(args.slipway, args.blueprint)
    if args.only in (None, "tcp"):
        against_mpi_over_tcp(args.slipway, args.blueprint)


main()
