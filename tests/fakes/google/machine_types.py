#!/usr/bin/env python3
"""Writes compute/machine_types.json: the machine types of blueprints/catalogue/machines.yaml, whose figures name their sources.

Series that are not in the catalogue, because no module of ours uses them, are not changed.
"""
import json, pathlib, sys

import yaml

TABLE = pathlib.Path(__file__).resolve().parent / "compute" / "machine_types.json"
CATALOGUE = pathlib.Path(__file__).resolve().parents[3] / "blueprints" / "catalogue" / "machines.yaml"
DEFAULTS = {"gpus": 0, "accelerator": "", "sockets": 1, "threads": 2}


def kind_of(vcpus, gib, sockets, threads, gpus, model):
    full = {"vcpus": vcpus, "memory_mb": int(gib * 1024), "gpus": gpus, "accelerator": model if gpus else "", "sockets": sockets, "threads": threads}
    return {key: value for key, value in full.items() if value != DEFAULTS.get(key)}


def types_of(catalogue):
    found = {}
    for name, row in catalogue["machines"].items():
        cpus, gpus = row["cpus"], row.get("gpus") or {}
        vcpus = cpus["sockets"] * cpus["cores_per_socket"] * cpus["threads_per_core"]
        found[name] = kind_of(vcpus, row["memory"]["gib"], cpus["sockets"], cpus["threads_per_core"], gpus.get("count", 0), gpus.get("model", ""))
    for row in catalogue["series"].values():
        cpus, gpus = row["cpus"], row.get("gpus") or {}
        for pattern, sizes in row["memory"]["gib"].items():
            for vcpus, gib in sizes.items():
                # A machine with one CPU has one thread.
                threads, sockets = min(cpus["threads_per_core"], vcpus), 2 if vcpus > cpus.get("two_sockets_above", 10**6) else 1
                found.setdefault(pattern.replace("*", str(vcpus)), kind_of(vcpus, gib, sockets, threads, gpus.get("count", {}).get(vcpus, 0),
                                                                           gpus.get("model", "")))
    return found


def text_of(table):
    rows = ",\n".join(f"    {json.dumps(name)}: {json.dumps(row)}" for name, row in sorted(table["types"].items()))
    series = ",\n".join(f"    {json.dumps(row)}" for row in table["series"])
    about = "\n".join(f"  {json.dumps(key)}: {json.dumps(table[key])}," for key in ("//", "sources", "defaults"))
    return f'{{\n{about}\n  "types": {{\n{rows}\n  }},\n  "series": [\n{series}\n  ]\n}}\n'


def written():
    """The table as it should be."""
    table = json.loads(TABLE.read_text())
    return text_of({**table, "types": types_of(yaml.safe_load(CATALOGUE.read_text()))})


if __name__ == "__main__":
    if len(sys.argv) != 1:
        sys.exit("usage: machine_types.py")
    TABLE.write_text(written())
