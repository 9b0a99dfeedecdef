"""What a machine's hardware is: its type's, less what its template turns off."""
import json, pathlib, re

from links import name_of

FACTS = json.loads((pathlib.Path(__file__).resolve().parent / "machine_types.json").read_text())


def machine_type(name):
    """{"vcpus", "memory_mb", "gpus", "accelerator", "sockets", "threads"} of a type, or null."""
    if name in FACTS["types"]:
        return {**FACTS["defaults"], **FACTS["types"][name]}
    for series in FACTS["series"]:
        found = re.fullmatch(series["names"], name)
        if found and int(found["vcpus"]) in series["vcpus"]:
            vcpus = int(found["vcpus"])
            sockets = 2 if vcpus > series.get("two_sockets_above", 10**6) else 1
            return {**FACTS["defaults"], "vcpus": vcpus, "memory_mb": int(vcpus * series["gib_per_vcpu"] * 1024), "sockets": sockets,
                    "threads": series.get("threads", 2)}
    return None


def hardware(resource):
    """What the guest sees: {"sockets", "cores", "threads", "memory_mb"}; cores are those of a socket."""
    kind = machine_type(name_of(resource["machineType"]))
    features = resource.get("advancedMachineFeatures", {})
    threads = min(kind["threads"], features.get("threadsPerCore") or kind["threads"])
    cores = features.get("visibleCoreCount") or kind["vcpus"] // kind["threads"]
    sockets = kind["sockets"] if cores % kind["sockets"] == 0 else 1
    # An operating system has a little less than what is sold.
    return {"sockets": sockets, "cores": cores // sockets, "threads": threads, "memory_mb": int(kind["memory_mb"] * 0.98)}
