#!/usr/bin/env python3
"""How long `slipway job convert` takes for an example: job_convert.py SLIPWAY        SLIPWAY is an installed program

Each row is the least and the median of several runs in milliseconds, with their ratios to `slipway version`, which only starts. With valgrind
installed, `instructions` are those of one run, which do not depend on what else the machine does. The goal is 20 ms.
"""
import pathlib, re, shutil, statistics, subprocess, sys, tempfile, time

RUNS = 30
EXAMPLE = pathlib.Path(__file__).resolve().parent.parent.parent / "examples/bandwidth/a3-megagpu.sbatch"


def milliseconds(words):
    start = time.perf_counter()
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
    return (time.perf_counter() - start) * 1000


def instructions(words):
    if shutil.which("valgrind") is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out", *words],
                              check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    return int(re.search(r"Collected : (\d+)", done.stderr)[1]) / 1e6


def main():
    slipway = sys.argv[1]
    commands = {"version": [slipway, "version"], "to jobset": [slipway, "job", "convert", EXAMPLE],
                "to vertex": [slipway, "job", "convert", "--to", "vertex", "--env", "SLIPWAY_RUN_KEY=0", EXAMPLE]}
    times = {name: [] for name in commands}
    for _ in range(RUNS):  # in turn, so that a busy moment hits all of them
        for name, words in commands.items():
            times[name].append(milliseconds(words))
    print(f"{'':10} {'least':>7} {'median':>7} {'ratio':>6} {'million instructions':>21}")
    for name, words in commands.items():
        count = instructions(words)
        ratio = statistics.median(times[name]) / statistics.median(times["version"])
        print(f"{name:10} {min(times[name]):7.1f} {statistics.median(times[name]):7.1f} {ratio:6.1f} {'-' if count is None else f'{count:.1f}':>21}")


if __name__ == "__main__":
    main()
