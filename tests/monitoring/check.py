#!/usr/bin/env python3
"""Checks the alerts and dashboards in blueprints/monitoring without a cluster.

    check.py SLIPWAY BLUEPRINTS

Every expression uses only metrics and labels that `slipway metrics list` knows; every fault of `slipway fault` has an
alert that names it; Debian's promtool, where it is installed, accepts the rules, and they do in alerts_test.yaml what they should.
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys

import yaml

# The interface claims its full speed, so that only a bandwidth test shows it.
WITHOUT_ALERT = {"link-rate"}

HERE = pathlib.Path(__file__).resolve().parent

# Of Prometheus itself.
OTHERS = {"up": {"job", "node", "instance"}, "ALERTS": {"alertstate", "alertname", "node"}}
WORD = r"[a-zA-Z_:][a-zA-Z0-9_:]*"


def known_metrics(slipway):
    text = subprocess.run([slipway, "metrics", "list", "--json"], check=True, capture_output=True, text=True).stdout
    metrics = {each["name"]: set(each["labels"].split()) for each in json.loads(text)["metrics"]}
    return metrics | OTHERS


def complaints_about(expression, metrics):
    """What is wrong with an expression: names that look like metrics, and the labels in braces after them."""
    if not re.search(WORD, expression):
        return [f"no metric in {expression}"]
    found = []
    bare = re.sub(r'"[^"]*"', '""', expression)
    for name, labels in re.findall(rf"\b(slipway_[a-z0-9_]+|up|ALERTS)\b\s*(?:{{([^}}]*)}})?", bare):
        if name not in metrics:
            found.append(f"{name} is not a metric: {expression}")
            continue
        for label in re.findall(rf"({WORD})\s*(?:=~|!~|!=|=)", labels):
            if label not in metrics[name]:
                found.append(f"{name} has no label {label}: {expression}")
    return found


def expressions_of_dashboard(board):
    for panel in board["panels"]:
        for target in panel["targets"]:
            yield target["expr"]


def main():
    slipway, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    metrics = known_metrics(slipway)
    wrong, seen = [], 0
    rules = yaml.safe_load((folder / "monitoring/alerts.yaml").read_text(encoding="utf-8"))
    alerts = [rule for group in rules["groups"] for rule in group["rules"]]
    names = [rule["alert"] for rule in alerts]
    wrong += [f"two alerts {name}" for name in set(names) if names.count(name) > 1]
    named = set()
    for rule in alerts:
        seen += 1
        wrong += complaints_about(rule["expr"], metrics)
        named |= set(rule["annotations"].get("faults", "").split())
        if rule["labels"]["severity"] not in ("critical", "warning", "info"):
            wrong.append(f"{rule['alert']}: unknown severity")
    faults = set(yaml.safe_load((folder / "catalogue/faults.yaml").read_text(encoding="utf-8"))["faults"])
    wrong += [f"no alert for the fault {fault}" for fault in sorted(faults - named - WITHOUT_ALERT)]
    wrong += [f"an alert names the unknown fault {fault}" for fault in sorted(named - faults)]
    boards = sorted((folder / "monitoring/dashboards").glob("*.json"))
    for path in boards:
        board = json.loads(path.read_text(encoding="utf-8"))
        for expression in expressions_of_dashboard(board):
            seen += 1
            wrong += [f"{path.name}: {each}" for each in complaints_about(expression, metrics)]
    if shutil.which("promtool"):
        for words in (["check", "rules", folder / "monitoring/alerts.yaml"], ["test", "rules", HERE / "alerts_test.yaml"]):
            checked = subprocess.run(["promtool", *words], capture_output=True, text=True, check=False)
            if checked.returncode != 0:
                wrong.append(checked.stdout + checked.stderr)
    print("\n".join(wrong) or f"{len(alerts)} alerts, {len(boards)} dashboards, {seen} expressions")
    return 1 if wrong or len(boards) != 5 else 0


if __name__ == "__main__":
    sys.exit(main())
