#!/usr/bin/env python3
"""all_reduce between two processes of this machine: the backend tcp, Open MPI over TCP, and gloo. Prints a table in Markdown.

    all_reduce.py BANDWIDTH_PERF [ROUNDS] [LARGEST_BYTES]

They take turns, and each has its best of all rounds in the table: what else the machine does can only make a round slower. Times are means
over the operations of a round.
"""
import contextlib
import os
import random
import socket
import subprocess
import sys

ENVIRONMENT = {k: v for k, v in os.environ.items() if not k.startswith(("SLURM_", "PMIX_", "OMPI_"))}
GLOO = """
import os, sys, time, torch, torch.distributed as dist
dist.init_process_group("gloo")
torch.set_num_threads(1)
data = torch.ones(int(sys.argv[1]) // 4)
times = int(sys.argv[2])
for _ in range(max(1, times // 10)): dist.all_reduce(data)
data.fill_(1)
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
    rows = [line.split() for line in table.splitlines() if line and line[0] != "#"]
    return float(next(row for row in rows if len(row) == 13)[5])


def options(size, times):
    return ["all_reduce", "-b", str(size), "-e", str(size), "-n", str(times), "-c", "0"]


def tcp(perf, size, times):
    port = free_port()
    return microseconds(first_output([
        ([perf, *options(size, times), "--backend", "tcp"],
         {"SLIPWAY_RANK": str(rank), "SLIPWAY_SIZE": "2", "SLIPWAY_RENDEZVOUS": f"127.0.0.1:{port}", "SLIPWAY_RUN_KEY": "5a" * 32})
        for rank in range(2)]))


def open_mpi(perf, size, times):
    over_tcp = {"OMPI_MCA_btl": "tcp,self", "OMPI_MCA_pml": "ob1", "OMPI_MCA_mpi_yield_when_idle": "1"}
    mpirun = ["mpirun", "--oversubscribe", "--allow-run-as-root", "--bind-to", "none", "-n", "2"]
    return microseconds(first_output([([*mpirun, perf, *options(size, times), "--backend", "mpi"], over_tcp)]))


def gloo(size, times):
    place = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port()), "WORLD_SIZE": "2", "GLOO_SOCKET_IFNAME": "lo"}
    return float(first_output([(["/usr/bin/python3", "-c", GLOO, str(size), str(times)], {**place, "RANK": str(rank)})
                               for rank in range(2)]))


def main():
    perf, rounds, largest = sys.argv[1], int((sys.argv + ["", "", "7"])[2] or 7), int((sys.argv + [""] * 4)[3] or 256 << 20)
    print("| size | tcp us | Open MPI us | gloo us | tcp / Open MPI | tcp / gloo |\n| ---: | ---: | ---: | ---: | ---: | ---: |")
    size = 1 << 10
    while size <= largest:
        times = max(3, min(2000, (64 << 20) // size))
        best = [min(column) for column in zip(*[(tcp(perf, size, times), open_mpi(perf, size, times), gloo(size, times))
                                                for _ in range(rounds)])]
        unit = f"{size >> 20} MiB" if size >= 1 << 20 else f"{size >> 10} KiB"
        print(f"| {unit} | {best[0]:.1f} | {best[1]:.1f} | {best[2]:.1f} | {best[0] / best[1]:.2f} | {best[0] / best[2]:.2f} |", flush=True)
        size *= 8 if size < 32 << 20 else 4


main()
