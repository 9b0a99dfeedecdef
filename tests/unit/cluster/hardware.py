#!/usr/bin/env python3
"""The catalogue's files agree with each other and with their schema: hardware.py CATALOGUE SCHEMA"""
import json, pathlib, sys

import jsonschema, yaml

catalogue = pathlib.Path(sys.argv[1])
read = lambda name: yaml.safe_load((catalogue / name).read_text())
hardware, machines, transports = read("hardware.yaml"), read("machines.yaml")["machines"], read("transports.yaml")
wrong = []


def check(holds, what):
    if not holds:
        wrong.append(what)


def check_pairs(name, row, machine):
    names = machine["gpu"]["names"]
    check(len(row["gpu_nics"]) == machine["gpus"]["count"], f"{name}: one interface a GPU, in gpu_nics")
    check(all(nic < len(names) for nic in row["gpu_nics"]), f"{name}: gpu_nics names an interface that is not there")
    for image, others in row.get("gpu_nic_names", {}).items():
        check(len(others) == len(names), f"{name}: {image} has another number of GPU interfaces")
    for image, others in row.get("host_nic_names", {}).items():
        check(len(others) == len(machine["host"]["names"]), f"{name}: {image} has another number of host interfaces")


for error in jsonschema.Draft202012Validator(json.load(open(sys.argv[2]))).iter_errors(hardware):
    wrong.append(f"{error.json_path}: {error.message}")
for section in ("machines", "elsewhere"):
    for name, row in hardware[section].items():
        check(row["source"] in hardware["sources"], f"{name}: source `{row['source']}` is not listed")
for name, machine in machines.items():
    if "gpu" not in machine:
        continue
    row = hardware["machines"].get(name.removesuffix("-nolssd"))
    check(row is not None, f"{name}: has GPU interfaces and no row")
    if row is not None:
        check_pairs(name, row, machine)
for name in hardware["machines"]:
    check("gpu" in machines.get(name, {}), f"{name}: not a machine type with GPU interfaces")
for name, row in hardware["elsewhere"].items():
    check(row["transport"] in transports["transports"], f"{name}: no transport `{row['transport']}`")
parts = [part for row in transports["transports"].values() for part in row.values()]
facts = [fact for part in parts for fact in (part if isinstance(part, list) else [part]) if isinstance(fact, dict)]
unused = set(transports["sources"]) - {fact["source"] for fact in facts}
check(not unused, f"transports.yaml: sources that nothing names: {', '.join(sorted(unused))}")
print("\n".join(wrong))
sys.exit(1 if wrong else 0)
