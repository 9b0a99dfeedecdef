#!/usr/bin/env python3
"""How long programs take to start: those of two installations, by turns.

    tests/benchmark/start_programs.py OLD NEW [RUNS]

OLD and NEW are folders with bin/, such as /opt/slipway and the unpacked archive for people without root. Prints the least and the median time of each command, and
the ratio NEW / OLD, which alone means something on a machine with other work.
"""
import pathlib
import statistics
import sys

sys.dont_write_bytecode = True  # not into the source tree
from program import run

COMMANDS = ["slipway --version", "slipway check {share}/examples/quickstart.yaml", "slipway explain E0203", "bandwidth_perf --help", "bandwidth_scan --help"]


def main():
    folders = [pathlib.Path(argument).resolve() for argument in sys.argv[1:3]]
    runs = int(sys.argv[3]) if len(sys.argv) > 3 else 100
    print(f"{'command':50}{'least ms':>20}{'median ms':>20}{'least':>8}{'median':>8}")
    for command in COMMANDS:
        seconds = [[], []]
        for _ in range(runs):
            for folder, times in zip(folders, seconds):
                name, *rest = command.format(share=folder / "share/slipway").split()
                status, time, _ = run([str(folder / "bin" / name), *rest])
                if status:
                    sys.exit(f"{folder}: {command}: exit status {status}")
                times.append(time * 1000)
        least, median = [min(times) for times in seconds], [statistics.median(times) for times in seconds]
        print(f"{command:50}{least[0]:10.2f}{least[1]:10.2f}{median[0]:10.2f}{median[1]:10.2f}{least[1] / least[0]:8.2f}{median[1] / median[0]:8.2f}")


if __name__ == "__main__":
    main()
