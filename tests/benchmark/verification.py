#!/usr/bin/env python3
"""What it costs the CPU to check data: of GPUs, whose kernels are not run here, and of host memory. Prints CPU seconds a GiB.

Usage: verification.py GPU_KERNELS BANDWIDTH_PERF FOLDER_OF_STAND_INS
"""
import json
import os
import resource
import statistics
import subprocess
import sys

KERNELS, PERF, FAKES = sys.argv[1:4]


def of_gpus():
    """8 GiB on the stand-in whose kernels do nothing: the rest is the host's work. It finds no harm, so it fails."""
    settings = {"LD_LIBRARY_PATH": f"{FAKES}/cuda:{FAKES}/nccl/22809", "FAKE_CUDA_KERNELS": "skip"}
    costs = {}
    for _ in range(5):
        done = subprocess.run([KERNELS, "8G"], capture_output=True, text=True, check=False, env={**os.environ, **settings})
        for line in map(json.loads, done.stdout.splitlines()):
            costs.setdefault(line["data"], []).append(line["check_cpu_s_per_gib"])
    return {data: statistics.median(all_of_it) for data, all_of_it in costs.items()}


def cpu_seconds(collective, checks, ranks):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([PERF, collective, "--backend", "tcp", "-g", str(ranks), "-b", "64M", "-e", "64M", "-n", "1", "-w", "0",
                    "-c", str(checks)], check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def of_host_memory(collective, ranks=4, checks=5):
    """One check writes and compares in both placements, on each rank; the operation between them is in it, too."""
    spent = cpu_seconds(collective, checks, ranks) - cpu_seconds(collective, 0, ranks)
    return spent / (checks * 2 * ranks * 64 / 1024)


def main():
    costs = of_gpus()
    print("CPU seconds to check a GiB, or to write and check it where it says so")
    for data in ("moved", "sum of float over 2 ranks", "sum of float over 128 ranks", "sum of float over 4096 ranks"):
        print(f"  on GPUs, 8 GiB, {data:<30} {costs[data]:.6f}")
    for collective in ("all_gather", "all_reduce"):
        print(f"  in host memory, {collective}, written, moved, checked  {of_host_memory(collective):.3f}")


if __name__ == "__main__":
    main()
