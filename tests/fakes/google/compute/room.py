"""Whether the cloud has room for a machine: quota, stock of the zone, reservations, placement policies."""
import json, pathlib, re

from conditions import STOCK_WORDS
from errors import Refusal
from links import name_of, part, path_of, region_of
from compute.hardware import machine_type
from compute.machine_life import STOPPED

PLACEMENT = json.loads((pathlib.Path(__file__).resolve().parent / "placement.json").read_text())["limits"]


class Room:
    """A part of Instances."""

    def no_room(self, path, resource, taken=0):
        """Why the cloud cannot make one more machine (code, message), or null. `taken`: made by the same request."""
        zone = part(path, "zones")
        over = self.compute.facts.over_quota(f"projects/{part(path, 'projects')}", zone, resource)
        if over:
            return over
        reason = self.no_room_in_reservation(path, resource) or self.no_room_in_policy(path, resource)
        if reason:
            return reason
        room = self.cloud.conditions.stock().get(zone)
        if isinstance(room, str):
            return room, self.words(room, zone)
        if room is not None and room <= taken:
            return "ZONE_RESOURCE_POOL_EXHAUSTED", self.words("ZONE_RESOURCE_POOL_EXHAUSTED", zone)
        return None

    @staticmethod
    def words(code, zone):
        return STOCK_WORDS.get(code, "The request failed.").format(zone=zone, region=region_of(zone))

    def use_room(self, path, count=1):
        if isinstance(self.cloud.conditions.stock().get(part(path, "zones")), int):
            self.cloud.conditions.use_stock(part(path, "zones"), count)

    def need_reservation(self, path, value):
        name = name_of(value.split("/reservationBlocks/")[0])
        owner = part(value, "projects") or part(path, "projects")
        found = self.cloud.get("compute", f"projects/{owner}/zones/{part(path, 'zones')}/reservations/{name}")
        if found is None:
            raise Refusal(400, f"Could not find reservation '{name}' in zone '{part(path, 'zones')}'.", "invalid")
        return found

    def in_reservation(self, path):
        return sum(1 for other, one in self.cloud.under("compute", path.split("/reservations/")[0] + "/instances/")
                   if name_of(path) in [name_of(value) for value in (one.get("reservationAffinity") or {}).get("values", [])]
                   and one["status"] not in STOPPED)

    def no_room_in_reservation(self, path, resource):
        values = (resource.get("reservationAffinity") or {}).get("values", [])
        if not values:
            return None
        reservation = self.need_reservation(path, values[0])
        used = self.in_reservation(path_of(reservation["selfLink"]))
        if used < int(reservation["specificReservation"]["count"]):
            return None
        return "RESERVATION_CAPACITY_EXCEEDED", f"Specified reservation '{reservation['name']}' does not have available resources for the request."

    def no_room_in_policy(self, path, resource):
        for policy in resource.get("resourcePolicies", []):
            name = name_of(policy)
            found = self.compute.need(f"projects/{part(path, 'projects')}/regions/{region_of(part(path, 'zones'))}/resourcePolicies/{name}")
            placement = found.get("groupPlacementPolicy")
            if not placement or placement.get("collocation") != "COLLOCATED":
                continue
            others = [other for other, one in self.cloud.under("compute", f"projects/{part(path, 'projects')}/zones/")
                      if "/instances/" in other and name in [name_of(mine) for mine in one.get("resourcePolicies", [])]]
            if any(part(other, "zones") != part(path, "zones") for other in others):
                return "INVALID_USAGE", f"The instances of the compact placement policy '{name}' must be in one zone."
            if len(others) >= self.most_in_policy(placement, name_of(resource["machineType"])):
                return "RESOURCE_POLICY_LIMIT_EXCEEDED", f"The compact placement policy '{name}' has as many instances as it can have."
        return None

    @staticmethod
    def most_in_policy(placement, machine):
        if placement.get("gpuTopology"):  # "1x72": the GPUs of a domain
            one, all_of_them = placement["gpuTopology"].split("x")
            return int(one) * int(all_of_them) // machine_type(machine)["gpus"]
        limit = next((row["by_distance"][str(placement.get("maxDistance") or "null")] for row in PLACEMENT if re.fullmatch(row["machines"], machine)), 0)
        return min(limit, placement.get("vmCount") or limit)
