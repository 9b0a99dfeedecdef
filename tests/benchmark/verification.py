#!/usr/bin/env python3
"""What it costs the CPU to check data: of GPUs, whose kernels are not run here, and of host memory. Prints CPU seconds a GiB.

Usage: verification.py GPU_KERNELS BANDWIDTH_PERF FOLDER_OF_STAND_INS [BYTES [RANKS]]

BYTES, 64M by default, is the data of all RANKS (8) together that whole runs check, whose kernels the stand-in of the driver
interprets. It is in memory once for each collective's buffer, so 8G needs up to 16 GiB, and takes an hour of CPU time.
"""
import json
import os
import resource
import statistics
import subprocess
import sys

KERNELS, PERF, FAKES = sys.argv[1:4]
UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def of_gpus():
    """8 GiB on the stand-in whose kernels do nothing: the rest is the host's work. It finds no harm, so it fails."""
    settings = {"LD_LIBRARY_PATH": f"{FAKES}/cuda:{FAKES}/nccl/22809", "FAKE_CUDA_KERNELS": "skip"}
    costs = {}
    for _ in range(5):
        done = subprocess.run([KERNELS, "8G"], capture_output=True, text=True, check=False, env={**os.environ, **settings})
        for line in map(json.loads, done.stdout.splitlines()):
            costs.setdefault(line["data"], []).append(line["check_cpu_s_per_gib"])
    return {data: statistics.median(all_of_it) for data, all_of_it in costs.items()}


def bytes_of(text):
    return int(text[:-1]) * UNITS[text[-1]] if text[-1] in UNITS else int(text)


def cpu_seconds(collective, ranks, size, checks, backend="tcp", iterations=1, **settings):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([PERF, collective, "--backend", backend, "-g", str(ranks), "-b", str(size), "-e", str(size), "-w", "0",
                    "-n", str(iterations), "-c", str(checks)], check=True, stdout=subprocess.DEVNULL,
                   env={**os.environ, **settings})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def of_host_memory(collective, ranks=4, checks=5):
    """One check writes and compares in both placements, on each rank; the operation between them is in it, too."""
    spent = cpu_seconds(collective, ranks, 64 << 20, checks) - cpu_seconds(collective, ranks, 64 << 20, 0)
    return spent / (checks * 2 * ranks * 64 / 1024)


def of_all_ranks(collective, in_all, ranks, kernels):
    """Whole runs on the stand-ins, without the operation itself. Of an all_reduce, each rank checks the whole size; of an
    all_gather, too. There are two placements."""
    size = in_all // ranks
    settings = {"LD_LIBRARY_PATH": f"{FAKES}/cuda:{FAKES}/nccl/22809", "FAKE_CUDA_DEVICES": str(ranks),
                "FAKE_CUDA_MEMORY": str(1 << 40), "FAKE_CUDA_KERNELS": kernels}
    unchecked, more, checked = (cpu_seconds(collective, ranks, size, checks, "nccl", iterations, **settings)
                                for checks, iterations in ((0, 1), (0, 3), (1, 1)))
    operation = (more - unchecked) / 4
    return (checked - unchecked - 2 * operation) / (2 * ranks * size / (1 << 30))


def of_8_gib(collective, ranks, checks=3):
    """8 GiB on each rank, of which only the host's work is done: neither the operation nor the kernels run."""
    settings = {"LD_LIBRARY_PATH": f"{FAKES}/cuda:{FAKES}/nccl/22809", "FAKE_CUDA_DEVICES": str(ranks),
                "FAKE_CUDA_MEMORY": str(1 << 40), "FAKE_CUDA_KERNELS": "skip", "FAKE_NCCL_OPERATIONS": "skip"}
    size = 8 << 30
    few, many = (cpu_seconds(collective, ranks, size, some, "nccl", **settings) for some in (1, 1 + checks))
    return (many - few) / (checks * 2 * ranks * 8)


def main():
    in_all, ranks = bytes_of((sys.argv[4:] or ["64M"])[0]), int((sys.argv[5:] or ["8"])[0])
    costs = of_gpus()
    print("CPU seconds to check a GiB, or to write and check it where it says so")
    for data in ("moved", "sum of float over 2 ranks", "sum of float over 128 ranks", "sum of float over 4096 ranks"):
        print(f"  on GPUs, 8 GiB, {data:<30} {costs[data]:.6f}")
    for collective in ("all_gather", "all_reduce"):
        print(f"  in host memory, {collective}, written, moved, checked  {of_host_memory(collective):.3f}")
    for collective in ("all_gather", "all_reduce"):
        cost = of_8_gib(collective, ranks)
        print(f"  whole runs on stand-ins, 8 GiB on each of {ranks} ranks, {collective}, the host's work  {cost:.6f}")
    for collective in ("all_gather", "all_reduce"):
        for kernels, what in (("skip", "kernels left out"), ("run", "kernels interpreted")):
            cost = of_all_ranks(collective, in_all, ranks, kernels)
            print(f"  whole runs on stand-ins, {in_all >> 20} MiB over {ranks} ranks, {collective}, {what}  {cost:.4f}")


if __name__ == "__main__":
    main()
