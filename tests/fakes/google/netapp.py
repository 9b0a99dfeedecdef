"""NetApp Volumes: storage pools, and volumes in them.

What is refused: https://docs.cloud.google.com/netapp/volumes/docs/discover/service-levels (sizes), …/quotas (names, shares), and
…/get-started/configure-access/networking (private services access)
"""
import copy, re

from errors import Refusal
from links import part, path_of
from longrunning import run

SERVICE = "netapp.servicenetworking.goog"
LEVELS, PROTOCOLS, ACCESS = ("STANDARD", "PREMIUM", "EXTREME", "FLEX"), {"NFSV3", "NFSV4", "SMB"}, {"READ_ONLY", "READ_WRITE", "READ_NONE"}


class NetApp:
    def __init__(self, cloud):
        self.cloud = cloud

    def call(self, method, params, query, body, caller):
        """A pool and a volume have the same methods; the path tells them apart."""
        verb, name = method.name.split(".")[1], params.get("name") or params["parent"]
        is_pool = "/storagePools" in name or "storagePoolId" in method.query
        kind = "storagePools" if is_pool else "volumes"
        self.cloud.rights.require(caller, f"netapp.{kind}.{verb}", f"projects/{part(name, 'projects')}")
        if verb == "list":
            return {kind: [one for _, one in self.cloud.under("netapp", f"{name}/{kind}/")]}
        if verb == "create":
            own = query.get("storagePoolId" if is_pool else "volumeId", "")
            if not re.fullmatch(r"[a-z]([-a-z0-9]{0,61}[a-z0-9])?", own):
                raise Refusal(400, f"Invalid resource id: '{own}'")
            path = f"{name}/{kind}/{own}"
            if self.cloud.get("netapp", path) is not None:
                raise Refusal(409, f"Resource '{path}' already exists")
            made = {**copy.deepcopy(body), "name": path, "state": "READY"}
            (self.check_pool if is_pool else self.check_volume)(name, made)
            self.cloud.put("netapp", path, made)
            return run(self.cloud, f"{name}/operations", made, self.cloud.new_id())
        found = self.cloud.get("netapp", name)
        if found is None:
            raise Refusal(404, f"Resource '{name}' was not found", "notFound")
        if verb == "get":
            return found
        if is_pool and self.volumes(name):
            raise Refusal(400, f"The storage pool {name} has volumes.", word="FAILED_PRECONDITION")
        return run(self.cloud, f"{name.split('/' + kind)[0]}/operations", {}, self.cloud.new_id(), work=lambda: self.cloud.remove("netapp", name))

    def volumes(self, pool):
        place, own = pool.split("/storagePools/")
        return [one for _, one in self.cloud.under("netapp", f"{place}/volumes/") if one["storagePool"].rsplit("/", 1)[-1] == own]

    def check_pool(self, parent, made):
        network = path_of(made.get("network", ""), part(parent, "projects"), "global/networks")
        if self.cloud.get("compute", network) is None:
            raise Refusal(400, f"The network {network} does not exist.")
        if self.cloud.get("servicenetworking", f"connections/{network}/{SERVICE}") is None:
            raise Refusal(400, f"The network {network} has no private services access for {SERVICE}.", word="FAILED_PRECONDITION")
        if made.get("serviceLevel") not in LEVELS:
            raise Refusal(400, f"serviceLevel {made.get('serviceLevel')} is not one of {', '.join(LEVELS)}.")
        least = 1024 if made["serviceLevel"] == "FLEX" else 2048
        if int(made.get("capacityGib") or 0) < least:
            raise Refusal(400, f"The capacity of a pool has to be at least {least} GiB, not {made.get('capacityGib')}.")

    def check_volume(self, parent, made):
        pool = f"{parent}/storagePools/{made.get('storagePool', '').rsplit('/', 1)[-1]}"
        found = self.cloud.get("netapp", pool)
        if found is None:
            raise Refusal(400, f"The storage pool {pool} does not exist.")
        size, used = int(made.get("capacityGib") or 0), sum(int(one["capacityGib"]) for one in self.volumes(pool))
        if size < (15360 if made.get("largeCapacity") else 100):
            raise Refusal(400, f"A volume of {size} GiB is too small.")
        if used + size > int(found["capacityGib"]):
            raise Refusal(400, f"The storage pool {pool} has {int(found['capacityGib']) - used} GiB left, not {size}.", word="FAILED_PRECONDITION")
        if not made.get("protocols") or set(made["protocols"]) - PROTOCOLS:
            raise Refusal(400, f"Invalid protocols: {made.get('protocols')}.")
        for rule in (made.get("exportPolicy") or {}).get("rules", []):
            if rule.get("accessType") not in ACCESS:
                raise Refusal(400, f"accessType {rule.get('accessType')} is not one of {', '.join(sorted(ACCESS))}.")
        if (made.get("tieringPolicy") or {}).get("tierAction") == "ENABLED" and not found.get("allowAutoTiering"):
            raise Refusal(400, f"The storage pool {pool} does not allow tiering.", word="FAILED_PRECONDITION")
        number = len(self.cloud.under("netapp", f"{parent}/volumes/")) + 2
        share = f"10.9.0.{number}:/{made.get('shareName')}"
        made["mountOptions"] = [{"protocol": one, "export": f"/{made.get('shareName')}", "exportFull": share, "ipAddress": share.split(":")[0]}
                                for one in made["protocols"]]
