"""How many requests the cloud takes in a minute: an allowance for each group of methods.

Google documents that an allowance is full again at the start of each minute, whatever was used before, and that each group is counted
separately (limits.json names the page). That is the stand-in's usual refill. Other services of Google, and intervals that are not the
client's, look like a token bucket: with the condition `rate_refill: "steady"` tokens come back one after another.
"""
import json, pathlib, re

from errors import Refusal
from links import region_of

GROUPS = json.loads((pathlib.Path(__file__).resolve().parent / "limits.json").read_text())["groups"]


class Limits:
    def __init__(self, conditions, clock):
        self.conditions, self.clock, self.left = conditions, clock, {}  # left: (tokens, when)

    def take(self, method, params):
        """Throws Refusal, as 403 with rateLimitExceeded, if the allowance is used up."""
        if not method.service.startswith("compute"):
            return
        name, group = next((name, group) for name, group in GROUPS.items() if re.fullmatch(group["methods"], method.name))
        place = params.get("region") or (region_of(params["zone"]) if "zone" in params else "")
        key = params.get("project", ""), name, place if group.get("region") else ""
        tokens = self.tokens(key, self.conditions.get("rate_limits", {}).get(name, group["per_minute"]))
        if tokens < 1:
            raise Refusal(403, f"Quota exceeded for quota metric 'compute.googleapis.com/{name}' and limit per minute of service "
                               f"'compute.googleapis.com' for consumer 'project_number:{abs(hash(key[0])) % 10**12}'.",
                          "rateLimitExceeded")
        self.left[key] = tokens - 1, self.clock()

    def tokens(self, key, limit):
        """How many requests of a group are allowed now."""
        now, interval = self.clock(), self.conditions.get("rate_interval_seconds", 60)
        tokens, since = self.left.get(key, (limit, now))
        if self.conditions.get("rate_refill") == "steady":
            return min(limit, tokens + (now - since) * limit / interval)
        return limit if int(now / interval) != int(since / interval) else min(limit, tokens)
