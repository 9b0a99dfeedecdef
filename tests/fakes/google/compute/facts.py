"""What does not change in Compute Engine: zones, regions, types of machines and disks; and quotas with their use."""
import re

from compute.hardware import FACTS, machine_type
from errors import Refusal, invalid
from links import link, name_of, part, region_of

ZONE = re.compile(r"[a-z]+-[a-z]+\d+-([a-z]|ai\d[a-z])")
DISK_TYPES = ("pd-standard", "pd-ssd", "pd-balanced", "pd-extreme", "local-ssd", "hyperdisk-balanced", "hyperdisk-extreme", "hyperdisk-ml",
              "hyperdisk-throughput", "hyperdisk-balanced-high-availability")
ACCELERATORS = sorted({kind["accelerator"] for kind in FACTS["types"].values() if "accelerator" in kind} | {"nvidia-l4", "nvidia-tesla-t4",
                                                                                                            "nvidia-tesla-v100"})


class Facts:
    def __init__(self, compute):
        self.compute, self.cloud = compute, compute.cloud

    def project(self, params):
        return {"kind": "compute#project", "name": params["project"], "id": "1", "selfLink": link(f"projects/{params['project']}"),
                "defaultServiceAccount": f"{number_of(params['project'])}-compute@developer.gserviceaccount.com", "quotas": [],
                "commonInstanceMetadata": {"kind": "compute#metadata", "items": []}, "xpnProjectStatus": "UNSPECIFIED_XPN_PROJECT_STATUS"}

    def answer(self, owner, verb, project, params, query):
        items = [value for key, value in params.items() if key not in ("project",)]
        if verb == "get":
            return self.one(owner, project, items)
        names = {"zones": ["us-central1-a", "us-central1-b", "us-central1-c"], "regions": ["us-central1"], "diskTypes": DISK_TYPES,
                 "acceleratorTypes": ACCELERATORS, "machineTypes": sorted(FACTS["types"])}[owner]
        return {"kind": f"compute#{owner}List", "items": [self.one(owner, project, items[:1] * (owner not in ("zones", "regions")) + [name])
                                                           for name in names]}

    def one(self, owner, project, items):
        getter = {"zones": self.zone, "regions": self.region, "machineTypes": self.machine, "diskTypes": self.disk,
                  "acceleratorTypes": self.accelerator}[owner]
        return getter(project, *items)

    def zone(self, project, name):
        if not ZONE.fullmatch(name):
            raise Refusal(400, f"Invalid value for field 'zone': '{name}'. Unknown zone.", "invalid")
        return {"kind": "compute#zone", "name": name, "status": "UP", "selfLink": link(f"{project}/zones/{name}"),
                "region": link(f"{project}/regions/{region_of(name)}")}

    def region(self, project, name):
        quotas = self.cloud.conditions.get("quotas", {}).get(name, {})
        return {"kind": "compute#region", "name": name, "status": "UP", "selfLink": link(f"{project}/regions/{name}"),
                "quotas": [{"metric": metric, "limit": limit, "usage": self.used(project, name).get(metric, 0)}
                           for metric, limit in sorted(quotas.items())]}

    def machine(self, project, zone, name):
        kind = machine_type(name)
        if kind is None or name not in self.cloud.conditions.get("machine_types", {}).get(zone, [name]):
            raise Refusal(404, f"The resource '{project}/zones/{zone}/machineTypes/{name}' was not found", "notFound")
        made = {"kind": "compute#machineType", "name": name, "guestCpus": kind["vcpus"], "memoryMb": kind["memory_mb"], "zone": zone,
                "selfLink": link(f"{project}/zones/{zone}/machineTypes/{name}"), "maximumPersistentDisks": 128}
        if kind["gpus"]:
            made["accelerators"] = [{"guestAcceleratorType": kind["accelerator"], "guestAcceleratorCount": kind["gpus"]}]
        return made

    def disk(self, project, zone, name):
        if name not in DISK_TYPES:
            raise Refusal(404, f"The resource '{project}/zones/{zone}/diskTypes/{name}' was not found", "notFound")
        return {"kind": "compute#diskType", "name": name, "zone": zone, "selfLink": link(f"{project}/zones/{zone}/diskTypes/{name}")}

    def accelerator(self, project, zone, name):
        if name not in ACCELERATORS:
            raise Refusal(404, f"The resource '{project}/zones/{zone}/acceleratorTypes/{name}' was not found", "notFound")
        return {"kind": "compute#acceleratorType", "name": name, "zone": zone, "selfLink": link(f"{project}/zones/{zone}/acceleratorTypes/{name}")}

    # quotas

    def used(self, project, region):
        """How much of each metric the machines in a region use."""
        found = {}
        for path, one in self.cloud.under("compute", f"{project}/zones/{region}"):
            if "/instances/" in path and one["status"] not in ("TERMINATED", "SUSPENDED"):
                for metric, number in metrics(one).items():
                    found[metric] = found.get(metric, 0) + number
        return found

    def over_quota(self, project, zone, resource):
        """The error (code, message) of one more machine, or null."""
        region = region_of(zone)
        limits = self.cloud.conditions.get("quotas", {}).get(region, {})
        if not limits:
            return None
        used = self.used(project, region)
        for metric, number in metrics(resource).items():
            if metric in limits and used.get(metric, 0) + number > limits[metric]:
                return "QUOTA_EXCEEDED", f"Quota '{metric}' exceeded.  Limit: {float(limits[metric])} in region {region}."
        return None


def metrics(resource):
    """What a machine counts for: https://docs.cloud.google.com/compute/resource-usage"""
    kind = machine_type(name_of(resource["machineType"]))
    series = name_of(resource["machineType"]).split("-")[0].upper()
    spot = resource["scheduling"].get("provisioningModel") == "SPOT" or resource["scheduling"].get("preemptible")
    found = {"CPUS" if series in ("N1", "E2") else f"{series}_CPUS": kind["vcpus"], "INSTANCES": 1}
    if kind["gpus"]:
        model = kind["accelerator"].upper().replace("NVIDIA-", "").replace("TESLA-", "").replace("-", "_")
        found[f"{'PREEMPTIBLE_' if spot else ''}NVIDIA_{model}_GPUS"] = kind["gpus"]
    return found


def number_of(project):
    """A project's number."""
    return str(sum(ord(letter) * 31 ** at for at, letter in enumerate(project)) % 10**12)


def check_zone(zone):
    if not ZONE.fullmatch(zone):
        raise invalid("zone", zone, "Unknown zone.")


def zone_of(path):
    return part(path, "zones")
