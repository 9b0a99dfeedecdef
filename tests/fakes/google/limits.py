"""How many requests the cloud takes in a minute: an allowance for each group of methods, filled up at the start of each interval, as
Google documents it."""
import json, pathlib, re

from errors import Refusal
from links import region_of

GROUPS = json.loads((pathlib.Path(__file__).resolve().parent / "limits.json").read_text())["groups"]


class Limits:
    def __init__(self, conditions, clock):
        self.conditions, self.clock, self.used, self.interval = conditions, clock, {}, None

    def take(self, method, params):
        """Throws Refusal, as 403 with rateLimitExceeded, if the allowance is used up."""
        if not method.service.startswith("compute"):
            return
        name, group = next((name, group) for name, group in GROUPS.items() if re.fullmatch(group["methods"], method.name))
        place = params.get("region") or (region_of(params["zone"]) if "zone" in params else "")
        interval = int(self.clock() / self.conditions.get("rate_interval_seconds", 60))
        if interval != self.interval:
            self.interval, self.used = interval, {}
        key = params.get("project", ""), name, place if group.get("region") else ""
        limit = self.conditions.get("rate_limits", {}).get(name, group["per_minute"])
        self.used[key] = self.used.get(key, 0) + 1
        if self.used[key] > limit:
            raise Refusal(403, f"Quota exceeded for quota metric 'compute.googleapis.com/{name}' and limit per minute of service "
                               f"'compute.googleapis.com' for consumer 'project_number:{abs(hash(key[0])) % 10**12}'.",
                          "rateLimitExceeded")
