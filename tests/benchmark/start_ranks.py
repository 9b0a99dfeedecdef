#!/usr/bin/env python3
"""How long ranks of the backend tcp need to start and run one operation, all on this machine. Prints a table in Markdown.

    start_ranks.py BANDWIDTH_PERF [RUNS]
"""
import contextlib
import os
import random
import resource
import socket
import subprocess
import sys
import time


def free_port():
    while True:
        port = random.randrange(20000, 32000)
        with contextlib.suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port


def start(command, size):
    """Seconds until all have ended, and CPU seconds of all."""
    place = f"127.0.0.1:{free_port()}"
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begin = time.monotonic()
    ranks = []
    for rank in range(size):
        environment = dict(os.environ, SLIPWAY_RANK=str(rank), SLIPWAY_SIZE=str(size), SLIPWAY_RENDEZVOUS=place, SLIPWAY_RUN_KEY="5a" * 32)
        ranks.append(subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL))
    if any(rank.wait() != 0 for rank in ranks):
        sys.exit(f"{size} ranks did not start")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.monotonic() - begin, sum(after[:2]) - sum(before[:2])


def main():
    program, runs = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 5
    all_gather = [program, "all_gather", "--backend", "tcp", "-b", "8K", "-e", "8K", "-n", "1", "-w", "0"]
    sizes = (8, 64, 512)
    found = {size: [] for size in sizes}
    for _ in range(runs):
        for size in sizes:
            # A process that finds no other costs what the machine takes to start it.
            alone = [start([program, "all_gather", "--help"], 8) for _ in range(size // 8)]
            found[size].append((*start(all_gather, size), sum(seconds for seconds, _ in alone), sum(cpu for _, cpu in alone)))
    print("| ranks | seconds | CPU ms a rank | of that, to start a process | seconds for the processes alone |\n| ---: | ---: | ---: | ---: | ---: |")
    for size in sizes:
        seconds, cpu, alone, alone_cpu = (min(column) for column in zip(*found[size]))
        print(f"| {size} | {seconds:.2f} | {cpu / size * 1e3:.1f} | {alone_cpu / size * 1e3:.1f} | {alone:.2f} |")


main()
