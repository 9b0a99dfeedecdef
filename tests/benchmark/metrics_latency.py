#!/usr/bin/env python3
"""What `slipway metrics serve` costs the users of slurmctld: metrics_latency.py SLIPWAY QUICKSTART_BLUEPRINT [NODES [JOBS]]

On a local cluster with pending jobs, the time of small requests to slurmctld (`scontrol show job`), while programs scrape the service ten times
a second, and without the service, in pairs of rounds whose order alternates. The ratio of each pair's medians, the median of all, and its 95 %
interval by order statistics; the same of the 95th percentiles. It also counts how often slurmctld answered for all nodes and for all jobs.
"""
import json
import math
import os
import statistics
import subprocess
import sys

PAIRS, SECONDS = 8, 15

# Runs on the controller: prints the times as JSON.
ROUND = r"""
import json, subprocess, sys, threading, time, urllib.request

seconds, with_service, port = float(sys.argv[1]), sys.argv[2] == "1", 19817
over, scrapes = threading.Event(), []


def scrape():
    while not over.wait(0.1):
        begin = time.monotonic()
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=60) as answer:
            answer.read()
        scrapes.append(time.monotonic() - begin)


def times():
    all_times, end = [], time.monotonic() + seconds
    while time.monotonic() < end:
        begin = time.monotonic()
        subprocess.run(["scontrol", "-o", "show", "job", "1"], check=True, stdout=subprocess.DEVNULL)
        all_times.append(time.monotonic() - begin)
        time.sleep(0.02)
    return all_times


if with_service:
    service = subprocess.Popen(["/opt/slipway/bin/slipway", "metrics", "serve", "--part", "slurm", "--listen", "127.0.0.1", "--port", str(port)],
                               stderr=subprocess.PIPE, text=True)
    service.stderr.readline()  # it listens
    thread = threading.Thread(target=scrape)
    thread.start()
taken = times()
if with_service:
    over.set()
    thread.join()
    service.terminate()
    service.wait()
print(json.dumps({"requests": taken, "scrapes": scrapes}))
"""


def interval(values):
    """Of the median: the ranks n/2 -+ 0.98 sqrt(n)."""
    half = 0.98 * math.sqrt(len(values))
    return sorted(values)[max(0, math.floor(len(values) / 2 - half))], sorted(values)[min(len(values), math.ceil(len(values) / 2 + half)) - 1]


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


class Cluster:
    def __init__(self, slipway, blueprint, nodes, jobs):
        self.slipway, self.name = slipway, f"bench-latency-{os.getpid()}"
        self.run("deploy", "--quiet", blueprint, "--vars", f"deployment_name={self.name}", "--nodes", f"a3mega_nodeset={nodes}")
        try:
            for begin in range(0, jobs, 1000):
                last = min(1000, jobs - begin) - 1
                self.on(f"cd /tmp && sbatch --hold --array=0-{last} --output=/dev/null --wrap 'sleep 1'")
        except subprocess.CalledProcessError:
            self.run("destroy", self.name)
            raise

    def run(self, *arguments):
        return subprocess.run([self.slipway, *arguments], check=True, stdout=subprocess.PIPE, text=True).stdout

    def on(self, script):
        return self.run("exec", self.name, "controller", "--", "sh", "-c", script)

    def round(self, with_service):
        return json.loads(self.run("exec", self.name, "controller", "--", "python3", "-c", ROUND, str(SECONDS), str(int(with_service))))

    def asked(self):
        """How often slurmctld has answered for all nodes, and for all jobs."""
        counts = {"REQUEST_NODE_INFO": 0, "REQUEST_JOB_INFO": 0}
        for line in self.on("sdiag").splitlines():
            words = line.split()
            if words and words[0] in counts and "count:" in line:
                counts[words[0]] += int(line.split("count:")[1].split()[0])
        return counts

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.run("destroy", self.name)


def main():
    slipway, blueprint = sys.argv[1:3]
    nodes, jobs = (int(word) for word in (sys.argv[3:] + ["64", "2000"][len(sys.argv) - 3:])[:2])
    with Cluster(slipway, blueprint, nodes, jobs) as cluster:
        cluster.round(True)
        rounds, scrapes = {True: [], False: []}, []
        asked = {key: {"REQUEST_NODE_INFO": 0, "REQUEST_JOB_INFO": 0} for key in rounds}
        for pair in range(PAIRS):
            for with_service in (True, False) if pair % 2 else (False, True):
                before = cluster.asked()
                seen = cluster.round(with_service)
                rounds[with_service].append(seen["requests"])
                scrapes += seen["scrapes"]
                for name, count in cluster.asked().items():
                    asked[with_service][name] += count - before[name]
        print(f"{nodes} nodes, {jobs} pending jobs, {PAIRS} pairs of {SECONDS} s; {len(scrapes)} scrapes of {1000 * statistics.median(scrapes):.1f} ms (median)")
        for with_service, counts in asked.items():
            print(f"{'with' if with_service else 'without'} the service, slurmctld was asked {counts['REQUEST_NODE_INFO']} times for all nodes "
                  f"and {counts['REQUEST_JOB_INFO']} times for all jobs")
        print(f"{'a request to slurmctld':<24} {'without ms':>10} {'with ms':>8} {'ratio':>6} {'from':>6} {'to':>6}")
        for label, share in (("median", 0.5), ("95th percentile", 0.95)):
            of_rounds = {key: [percentile(each, share) for each in all_rounds] for key, all_rounds in rounds.items()}
            ratios = [a / b for a, b in zip(of_rounds[True], of_rounds[False])]
            low, high = interval(ratios)
            print(f"{label:<24} {1000 * statistics.median(of_rounds[False]):10.2f} {1000 * statistics.median(of_rounds[True]):8.2f} "
                  f"{statistics.median(ratios):6.3f} {low:6.3f} {high:6.3f}", flush=True)


if __name__ == "__main__":
    main()
