#!/usr/bin/env python3
"""The catalogue has no row that nothing uses and none that is missing, and C++ names nothing that the catalogue defines: catalogue.py SOURCE"""
import fnmatch
import functools
import json
import pathlib
import re
import sys

import yaml

ROOT = pathlib.Path(sys.argv[1])

sys.dont_write_bytecode = True  # keep the source tree clean
sys.path.insert(0, str(ROOT / "tests"))
from code_files import code_files  # noqa: E402

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@functools.cache
def read(name):
    return yaml.load((ROOT / "blueprints/catalogue" / f"{name}.yaml").read_text(), LOADER)


machines, transports, quotas = read("machines"), read("transports"), read("quotas")

# Names of the catalogue that C++ may contain, by file, each with the reason.
ALLOWED = {
    "launcher/cluster/machine_reader.cc": ({"gib"}, "the unit of `memory`, a key of machines.yaml"),
    "launcher/google/needs.cc": ({"local-ssd"}, "Terraform's own value: a scratch disk without a type is one"),
    "launcher/node/buy.cc": ({"STANDARD"}, "Compute Engine's own provisioning model: no wish for a kind of capacity"),
    "nccl-tests/environment.cc": ({"NCCL_*"}, "the variables of NCCL itself that a report records"),
}

LITERAL = re.compile(r'R"\((?P<raw>.*?)\)"|"(?P<plain>(?:[^"\\\n]|\\.)*)"', re.S)
COMMENT = re.compile(r'//[^\n]*|/\*.*?\*/|R"\(.*?\)"|"(?:[^"\\\n]|\\.)*"', re.S)


def machine_types():
    """All machine types, those of series by their sizes."""
    yield from machines["machines"]
    for series in machines["series"].values():
        for pattern, sizes in series["memory"]["gib"].items():
            yield from (pattern.replace("*", str(size)) for size in sizes)


def rows():
    return [*machines["machines"].values(), *machines["series"].values()]


def catalogue_names():
    """What is data: names of machines, GPUs, transports, their daemons and variables, and quotas."""
    names = set(machine_types()) | {row["gpus"]["model"] for row in rows() if "gpus" in row}
    for name, transport in transports["transports"].items():
        names |= {name, transport.get("daemon", {}).get("name", name)}
        for key in ("environment", "without_profile"):
            names |= {rule["name"] for rule in transport.get(key, [])}
    for table in ("cpus", "gpus", "disks", "filestore", "resources"):
        for key, quota in quotas[table].items():
            names |= {quota[what] for what in ("quota", "spot") if what in quota}
            names |= {key} if table in ("disks", "filestore") else set()
    # `socket` is an ordinary word, and the transport that works everywhere.
    return names - {"default", "other", "socket"}


def literals(text):
    """The string literals of a source file, without its comments."""
    code = COMMENT.sub(lambda found: "" if found[0].startswith("/") else found[0], text)
    return [found["raw"] or found["plain"] or "" for found in LITERAL.finditer(code)]


def any_of(names):
    return re.compile(r"(?<![\w-])(" + "|".join(sorted(map(re.escape, names), key=len, reverse=True)) + r")(?![\w-])")


def names_in_code():
    """Every (file, name) of the catalogue in a string literal."""
    known, faults = catalogue_names(), {*read("faults")["faults"]} | {*read("faults")["kernel_lines"]}
    # Findings of health checks have the names of some faults, and so do effects of faults.
    effects = {row["effect"] for row in read("faults")["faults"].values()}
    injects = ("launcher/local/", "launcher/simulated_nvml/")
    for path in code_files(ROOT):
        word = any_of(known | (faults - effects) if path.startswith(injects) else known)
        text = (ROOT / path).read_text()
        found = {name for literal in literals(text) for name in word.findall(literal)}
        yield from ((path, name) for name in found)


def unused_rows():
    """What no machine type leads to."""
    for name in set(transports["transports"]) - {row["transport"]["name"] for row in rows()}:
        if "hardware" not in transports["transports"][name]:
            yield f"transports.yaml: no machine type and no hardware has the transport `{name}`"
    families = {name.split("-")[0] for name in machine_types()}
    for name in set(quotas["cpus"]) - families - {"other"}:
        yield f"quotas.yaml: no machine type is in the family `{name}`"
    for file in ("machines", "transports", "quotas", "bandwidth", "services", "compute", "replacement", "gke"):
        text = (ROOT / "blueprints/catalogue" / f"{file}.yaml").read_text()
        for source in read(file)["sources"]:
            if not re.search(rf"source: (\[[^\]]*)?(?<![\w-]){re.escape(source)}(?![\w-])", text):
                yield f"{file}.yaml: nothing names the source `{source}`"


def wrong_disks():
    """Types of disks of compute.yaml that contradict each other, and machine types that no family knows."""
    offer = read("compute")
    for row in offer["families"]:
        either = [row["boot"], *row["not"], *row["data"]]
        for kind in {kind for kind in either if either.count(kind) > 1 or kind not in offer["disk_types"]}:
            yield f"compute.yaml: `{kind}` of `{row['prefix']}` is listed twice, or not in `disk_types`"
    for name in machine_types():
        if not any(row["prefix"] and name.startswith(row["prefix"]) for row in offer["families"]):
            yield f"compute.yaml: no family for `{name}`"
    others = [offer[key] for key in ("fixed_threads", "unsigned_modules", "confidential_moves", "flex_start")]
    for row in offer["families"] + offer["placement"] + offer["maintenance"] + offer["nvlink_domains"] + others:
        for source in {*([row["source"]] if isinstance(row["source"], str) else row["source"])} - {*offer["sources"]}:
            yield f"compute.yaml: there is no source `{source}`"


def wrong_domains():
    """NVLink domains of compute.yaml that machines.yaml does not have, or has with another number of machines."""
    rows = read("compute")["nvlink_domains"]
    for name, machine in machines["machines"].items():
        told = [row["machines"] for row in rows if re.fullmatch(row["types"], name)]
        domain = machine.get("nvlink_domain")
        if told != ([domain["machines"]] if domain else []):
            yield f"compute.yaml: nvlink_domains has {told} machines for `{name}`, machines.yaml {domain}"


# Resource types whose rights are not the project's: of its organization, of a billing account.
OF_OTHERS = {"google_organization_iam_member", "google_billing_account_iam_member", "google_compute_shared_vpc_host_project"}


def missing_services():
    """Resource types of the library about which `slipway doctor google` would not ask."""
    known = {*read("services")["resources"], *OF_OTHERS}
    for path in sorted((ROOT / "blueprints").rglob("module.yaml")):
        for kind in re.findall(r"^ +(?:- )?(?:type: )?(google_[a-z0-9_]+)\b", path.read_text(), re.M):
            if kind not in known and not kind.startswith("google_compute_instance") and kind != "google_client_config":
                yield f"services.yaml: no row for `{kind}` of {path.parent.name}"


def missing_gpus():
    """GPU models of machine types that health checks would not know."""
    for model in {row["gpus"]["model"] for row in rows() if "gpus" in row} - {*read("health")["gpu_models"]}:
        yield f"health.yaml: no row in `gpu_models` for `{model}` of machines.yaml"


# Attributes of replacement.yaml that the provider has since its version 7; the schemas are those of version 6.
OF_VERSION_7 = {"delete_bgp_always_compare_med", "allow_subnet_cidr_routes_overlap", "dynamic_tier_options"}


def has_attribute(body, path):
    word, _, rest = path.partition(".")
    inner = body.get("attributes", {}).get(word)
    return word in body.get("computed", []) or word in OF_VERSION_7 or (inner is not None and (not rest or has_attribute(inner, rest)))


def unknown_attributes():
    """Attributes of replacement.yaml that the provider does not have."""
    schema = json.loads((ROOT / "tests/schemas/google_provider.json").read_text())
    types = {kind: body for provider in schema["providers"].values() for kind, body in provider.items()}
    for row in read("replacement")["resources"]:
        known = [types[kind] for kind in row["types"] if kind in types]
        for path in [*row.get("replaces", []), *row.get("keeps", [])]:
            if known and not any(has_attribute(body, path) for body in known):
                yield f"replacement.yaml: `{row['types'][0]}` has no `{path}`"


def other_tpus():
    """TPUs of machine types that the table of slices does not know, or names differently."""
    labels = {machine["type"].split("-")[0]: row["labels"] for row in read("tpu")["generations"] for machine in row.get("machines", [])}
    for family, label in read("gke")["tpus"]["names"].items():
        if label not in labels.get(family, []):
            yield f"tpu.yaml: no generation of `{family}` has the label `{label}` of gke.yaml"


def main():
    found = set(names_in_code())
    allows = lambda path, name: any(fnmatch.fnmatch(name, each) for each in ALLOWED.get(path, [[]])[0])
    wrong = [f"{path}: `{name}` belongs in the catalogue, not in C++" for path, name in sorted(found) if not allows(path, name)]
    for path, (names, _) in ALLOWED.items():
        used = {name for where, name in found if where == path}
        wrong += [f"{path}: `{each}` is allowed but not there" for each in names if not fnmatch.filter(used, each)]
    wrong += sorted(unused_rows()) + sorted(set(wrong_disks())) + sorted(wrong_domains()) + sorted(set(missing_services())) + sorted(missing_gpus()) + sorted(set(unknown_attributes())) + sorted(other_tpus())
    print(*wrong, sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
