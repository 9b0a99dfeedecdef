#!/usr/bin/env python3
"""Injects every fault into the nodes of a local cluster with Prometheus, and checks which alerts it raises.

    alerts.py SLIPWAY DEPLOYMENT NODE...

Each fault has to raise exactly the alert that names it, with the node's name, and the alert has to end with the fault.
As many faults as there are nodes are tried at a time. Prints how long each alert took.
"""
import datetime
import json
import subprocess
import sys
import time

SCRAPE_SECONDS = 5
LIMIT_SECONDS = 600  # of a test that fails; nothing is judged by time

# Faults with arguments, and the alert that each has to raise. link-rate is not among them: the interface claims its full speed.
CASES = [
    ("power-off", "SlipwayNodeUnreachable"),
    ("hang", "SlipwayNodeUnreachable"),
    ("link-down enp0s12", "SlipwayNodeUnreachable"),
    ("gpu-lost 2", "SlipwayGpuLost"),
    ("gpu-missing 7", "SlipwayGpuMissing"),
    ("gpu-xid 3 79", "SlipwayGpuXid"),
    ("gpu-ecc 1 2", "SlipwayGpuMemoryErrors"),
    ("gpu-ecc-corrected 1 5000", "SlipwayGpuCorrectedMemoryErrors"),
    ("gpu-remap-failed 4", "SlipwayGpuRemapFailed"),
    ("gpu-pages 5 61", "SlipwayGpuPagesRetired"),
    ("gpu-nvlink 6 3", "SlipwayNvlinkDown"),
    ("gpu-pcie-width 0 8", "SlipwayPcieWidth"),
    ("gpu-pcie-gen 0 3", "SlipwayPcieGeneration"),
    ("gpu-replays 2 500", "SlipwayPcieReplays"),
    ("gpu-throttled 3", "SlipwayGpuThrottled"),
    ("gpu-celsius 4 95", "SlipwayGpuTemperatureCritical"),
    ("gpu-watts 5 400", "SlipwayGpuPowerLimited"),
    ("gpu-process 6 1", "SlipwayGpuBusyWithoutJob"),
    ("gpu-unloads 7", "SlipwayGpuPersistenceOff"),
    ("gpu-recovery 1 2", "SlipwayGpuRecoveryAction"),
    ("nvml-mismatch", "SlipwayDriverMismatch"),
    ("nvml-hang", "SlipwayDriverHang"),
    ("kernel-log oops", "SlipwayKernelFault"),
    ("kernel-log memory-error", "SlipwayKernelFault"),
    ("kernel-log stall", "SlipwayKernelStall"),
    ("kernel-log disk-error", "SlipwayDiskErrors"),
    ("disk-full /tmp", "SlipwayDiskFull"),
    ("daemon-killed slurmd", "SlipwayServiceDown"),
    ("daemon-killed munged", "SlipwayServiceDown"),
]


class Cluster:
    def __init__(self, slipway, name):
        self.slipway, self.name = slipway, name
        address = self.run("exec", name, "controller", "--", "hostname", "-I").split()[0]
        self.url = f"http://{address}:9090/api/v1/"

    def run(self, *words, check=True):
        done = subprocess.run([self.slipway, *words], check=False, capture_output=True, text=True)
        if check and done.returncode != 0:
            sys.exit(f"{' '.join(words)}: {done.stdout}{done.stderr}")
        return done.stdout

    def ask(self, what, **query):
        words = [word for key, value in query.items() for word in ("--data-urlencode", f"{key}={value}")]
        text = self.run("exec", self.name, "controller", "--", "curl", "-sSG", self.url + what, *words)
        return json.loads(text)["data"]

    def firing(self):
        """The names of the firing alerts, with their times, by node."""
        found = {}
        for alert in self.ask("alerts")["alerts"]:
            if alert["state"] == "firing":
                found.setdefault(alert["labels"].get("node", ""), {})[alert["labels"]["alertname"]] = alert["activeAt"]
        return found

    def fault(self, node, *words):
        self.run("fault", self.name, node, *words)

    def check(self, node):
        """What Slurm does at intervals. A node that is off or without munge cannot."""
        self.run("exec", self.name, node, "--", "/opt/slipway/bin/slipway", "health", "--stage", "periodic", check=False)

    def repair(self, node, fault):
        self.fault(node, "clear")
        if fault.startswith("gpu-xid"):
            self.run("exec", self.name, node, "--", "/opt/slipway/bin/slipway", "health", "clear")
        if fault.startswith("kernel-log"):
            self.fault(node, "power-off")
            self.fault(node, "clear")
        for _ in range(60):
            if not subprocess.run([self.slipway, "exec", self.name, node, "--", "true"], check=False, capture_output=True).returncode:
                break
            time.sleep(0.5)
        self.check(node)


def seconds_since_1970(text):
    return datetime.datetime.fromisoformat(text[:19] + "+00:00").timestamp()


def wait_for(what, condition):
    end = time.monotonic() + LIMIT_SECONDS
    while time.monotonic() < end:
        if condition():
            return
        time.sleep(1)
    sys.exit(f"waited without success for {what}")


def try_round(cluster, cases, nodes):
    began = {}
    for (fault, _), node in zip(cases, nodes):
        began[node] = time.time()
        cluster.fault(node, *fault.split())
        if fault.split()[0] not in ("power-off", "hang", "link-down"):
            cluster.check(node)
    for (fault, alert), node in zip(cases, nodes):
        wait_for(f"{alert} of {node}, by {fault}", lambda n=node, a=alert: a in cluster.firing().get(n, {}))
    time.sleep(2 * SCRAPE_SECONDS)  # in which others would follow
    firing = cluster.firing()
    wrong = 0
    for (fault, alert), node in zip(cases, nodes):
        alerts = firing.get(node, {})
        exact = set(alerts) == {alert}
        wrong += not exact
        took = min(seconds_since_1970(alerts[name]) for name in alerts) - began[node]
        print(f"{'ok' if exact else 'NOT OK'} {fault}: {', '.join(sorted(alerts))} on {node}, after {took:.1f} s", flush=True)
    for (fault, _), node in zip(cases, nodes):
        cluster.repair(node, fault)
    for (fault, alert), node in zip(cases, nodes):
        wait_for(f"the end of {alert} of {node}, by {fault}", lambda n=node: not cluster.firing().get(n))
    others = set(firing) - set(nodes)
    if others:
        print(f"NOT OK alerts of {', '.join(sorted(others))}")
    return wrong + len(others)


def main():
    cluster = Cluster(sys.argv[1], sys.argv[2])
    nodes = sys.argv[3:]
    for node in nodes:
        cluster.check(node)
    wait_for("Prometheus to know every node", lambda: len(cluster.ask("query", query='slipway_node_fit == 1')["result"]) >= len(nodes))
    wrong = 0
    for first in range(0, len(CASES), len(nodes)):
        wrong += try_round(cluster, CASES[first:first + len(nodes)], nodes)
    print(f"{len(CASES)} faults, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
