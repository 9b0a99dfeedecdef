#!/usr/bin/env python3
"""How fast steps are copied between nodes' memory: checkpoints.py CHECKPOINT_COPY [MIB [RATE...]]

Beside raw TCP, in turns, over links of these rates in Gbit/s (10 and 25 by default), and over the loopback interface, where both
ends only move memory. `first` is the first copy of a job, `copy` a later one, which is written over an earlier one. Needs root, for the links: two network namespaces and a pair of interfaces.
"""
import os, pathlib, shutil, statistics, subprocess, sys, tempfile

ROUNDS = 5
KINDS = [("raw", "first", "copy"), ("raw2", "first2", "copy2")]


def run(*words):
    subprocess.run(words, check=True)


def link(rate):
    """Two namespaces, one at each end of a link."""
    ends = [f"checkpoint-{os.getpid()}-{i}" for i in (1, 2)]
    for name in ends:
        run("ip", "netns", "add", name)
    run("ip", "link", "add", "c1", "netns", ends[0], "type", "veth", "peer", "name", "c2", "netns", ends[1])
    for i, name in enumerate(ends, 1):
        run("ip", "-n", name, "addr", "add", f"10.99.0.{i}/24", "dev", f"c{i}")
        run("ip", "-n", name, "link", "set", f"c{i}", "up", "mtu", "9000")
        burst = f"{max(1, rate // 4)}mb"
        run("tc", "-n", name, "qdisc", "add", "dev", f"c{i}", "root", "tbf", "rate", f"{rate}gbit", "burst", burst, "latency", "50ms")
    return ends


def measure(program, folder, before, after, host):
    server = subprocess.Popen([*before, program, "serve", folder], stdout=subprocess.PIPE, text=True)
    try:
        port = server.stdout.readline().strip()
        output = subprocess.check_output([*after, program, "measure", host, port, str(ROUNDS), folder], text=True)
    finally:
        server.kill()
        server.wait()
    rates, seconds = {}, {}
    for line in output.splitlines():
        what, rate, used = line.split()
        rates.setdefault(what, []).append(float(rate))
        seconds.setdefault(what, []).append(float(used))
    return {what: (statistics.median(all_), statistics.median(seconds[what])) for what, all_ in rates.items()}, {
        each: statistics.median(c / r for c, r in zip(rates[each], rates[raw])) for raw, *copies in KINDS for each in copies}


def main():
    program = os.path.abspath(sys.argv[1])
    mib = int(sys.argv[2]) if len(sys.argv) > 2 else 512
    links = [int(each) for each in sys.argv[3:]] or [10, 25]
    folder = tempfile.mkdtemp(prefix="checkpoint-copy-", dir="/dev/shm")
    step = pathlib.Path(folder, "step")
    step.mkdir()
    with open(step / "state.pt", "wb") as file:
        for _ in range(mib):
            file.write(os.urandom(1 << 20))
    try:
        print(f"a step of {mib} MiB, median of {ROUNDS} rounds\n{'link':>10} connections {'raw':>12} {'first':>12} {'ratio':>6} {'copy':>12} {'ratio':>6}  CPU s/GiB of the receiver: raw, first, copy")
        for rate in [*links, 0]:
            ends = link(rate) if rate else []
            try:
                inside = [["ip", "netns", "exec", name] for name in ends] or [[], []]
                result, ratio = measure(program, str(step), *inside, "10.99.0.1" if rate else "127.0.0.1")
            finally:
                for name in ends:
                    run("ip", "netns", "del", name)
            for streams, kinds in enumerate(KINDS, 1):
                shown = [f"{result[each][0] / 1e6:7.0f} MB/s" + (f" {ratio[each]:6.2f}" if each in ratio else "") for each in kinds]
                print(f"{f'{rate} Gbit/s' if rate else 'loopback':>10} {streams:>11} {' '.join(shown)}  {', '.join(f'{result[each][1]:.2f}' for each in kinds)}", flush=True)
        print(f"digests alone: {result['read'][0] / 1e6:.0f} MB/s")
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
