#!/usr/bin/env python3
"""all_reduce between processes of this machine: the backend tcp, Open MPI over TCP, and gloo. Prints a table in Markdown.

    all_reduce.py BANDWIDTH_PERF [SECONDS] [LARGEST_BYTES] [RANKS...]

They take turns in random order until the time is over. Each has its best round in the table, since other work can only make a round slower,
and the median of the ratios of rounds that followed each other. Times are means over the operations of a round.
"""
import argparse
import contextlib
import os
import random
import socket
import statistics
import subprocess
import sys
import time

ENVIRONMENT = {k: v for k, v in os.environ.items() if not k.startswith(("SLURM_", "PMIX_", "OMPI_"))}
GLOO = """
import sys, time, torch, torch.distributed as dist
dist.init_process_group("gloo")
torch.set_num_threads(1)
times = int(sys.argv[1])
for size in map(int, sys.argv[2:]):
    data = torch.ones(size // 4)
    for _ in range(max(1, times // 10)): dist.all_reduce(data, dist.ReduceOp.MAX)
    dist.barrier()
    begin = time.perf_counter()
    for _ in range(times): dist.all_reduce(data, dist.ReduceOp.MAX)
    if dist.get_rank() == 0: print((time.perf_counter() - begin) / times * 1e6)
"""


def free_port():
    while True:
        port = random.randrange(20000, 32000)
        with contextlib.suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port


def first_output(commands):
    """Runs one command a rank at once; what rank 0 prints."""
    ranks = [subprocess.Popen(command, env={**ENVIRONMENT, **extra}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
             for command, extra in commands]
    printed = [rank.communicate(timeout=300) for rank in ranks]
    if any(rank.returncode for rank in ranks):
        sys.exit(f"{commands[0][0]}: {printed}")
    return printed[0][0]


def microseconds(table):
    """Out of place, by size."""
    rows = [line.split() for line in table.splitlines() if line and line[0] != "#"]
    return {int(row[0]): float(row[5]) for row in rows if len(row) == 13}


def options(sizes, times):
    return ["all_reduce", "-b", str(sizes[0]), "-e", str(sizes[-1]), "-f", "4", "-n", str(times), "-c", "0"]


def tcp(perf, ranks, sizes, times):
    place = f"127.0.0.1:{free_port()}"
    return microseconds(first_output([
        ([perf, *options(sizes, times), "--backend", "tcp"],
         {"SLIPWAY_RANK": str(rank), "SLIPWAY_SIZE": str(ranks), "SLIPWAY_RENDEZVOUS": place, "SLIPWAY_RUN_KEY": "5a" * 32})
        for rank in range(ranks)]))


def open_mpi(perf, ranks, sizes, times):
    over_tcp = {"OMPI_MCA_btl": "tcp,self", "OMPI_MCA_pml": "ob1", "OMPI_MCA_mpi_yield_when_idle": "1"}
    mpirun = ["mpirun", "--oversubscribe", "--allow-run-as-root", "--bind-to", "none", "-n", str(ranks)]
    return microseconds(first_output([([*mpirun, perf, *options(sizes, times), "--backend", "mpi"], over_tcp)]))


def gloo(_, ranks, sizes, times):
    place = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port()), "WORLD_SIZE": str(ranks), "GLOO_SOCKET_IFNAME": "lo"}
    printed = first_output([(["/usr/bin/python3", "-c", GLOO, str(times), *map(str, sizes)], {**place, "RANK": str(rank)})
                            for rank in range(ranks)])
    return dict(zip(sizes, map(float, printed.split())))


def sizes_up_to(largest):
    """In parts, since large messages are sent less often than small ones."""
    small = [1 << 10, 4 << 10, 16 << 10, 64 << 10]
    large = [size for size in (256 << 10, 1 << 20, 4 << 20, 16 << 20, 64 << 20, 256 << 20) if size <= largest]
    return [(small, 100), *([(large, 5)] if large else [])]


def unit(size):
    return f"{size >> 20} MiB" if size >= 1 << 20 else f"{size >> 10} KiB"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("perf")
    parser.add_argument("seconds", type=float, nargs="?", default=600)
    parser.add_argument("largest", type=int, nargs="?", default=256 << 20)
    parser.add_argument("ranks", type=int, nargs="*", default=[2, 4, 8])
    args = parser.parse_args()
    found, end = {}, time.monotonic() + args.seconds
    while not found or time.monotonic() < end:
        for ranks in args.ranks:
            for sizes, times in sizes_up_to(args.largest):
                programs = [tcp, open_mpi, gloo]
                random.shuffle(programs)
                took = {program: program(args.perf, ranks, sizes, times) for program in programs}
                for size in sizes:
                    found.setdefault((ranks, size), []).append([took[program][size] for program in (tcp, open_mpi, gloo)])
    print("| ranks | size | rounds | tcp us | Open MPI us | gloo us | tcp / Open MPI | tcp / gloo |\n"
          "| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for (ranks, size), rounds in sorted(found.items()):
        best = [min(column) for column in zip(*rounds)]
        ratios = [statistics.median(own / other for own, other in zip(list(zip(*rounds))[0], list(zip(*rounds))[i])) for i in (1, 2)]
        print(f"| {ranks} | {unit(size)} | {len(rounds)} | {best[0]:.0f} | {best[1]:.0f} | {best[2]:.0f} | {ratios[0]:.2f} | {ratios[1]:.2f} |")


main()
