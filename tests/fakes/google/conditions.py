"""What the cloud is like: tests write it to files, and it counts at once.

conditions.json, an object in which everything is optional:

    operation_seconds     how long an operation takes
    bulk_insert_seconds   the same, for bulkInsert
    flex_seconds          how long a resize request waits at least
    delete_seconds        how long a machine is STOPPING before it is gone
    stop_seconds          how long a machine is STOPPING before it is TERMINATED
    stock                 {ZONE: how many more machines fit, or a code of STOCK_WORDS}; other zones have room for all
    quotas                {REGION: {METRIC: limit}}, as in the API's regions: "N2_CPUS", "NVIDIA_H100_GPUS", …
    rate_limits           {GROUP: requests in an interval}, instead of limits.json's
    rate_interval_seconds the length of an interval; a minute in the cloud
    rate_refill           "steady": a token bucket; without it, all of an allowance comes back at the start of each interval
    propagation_seconds   how long a new binding, service account or key takes until services know it
    failures              [{"every": N, "status": 503, "method": regular expression}]: every N-th request fails
    images                list of "PROJECT/FAMILY" and "PROJECT/IMAGE" that exist besides the public ones; without it, every image of a
                          project that is not public exists
    disabled_services     ["lustre.googleapis.com"]
    quota_infos           {QUOTA ID: [{"dimensions": {…}, "value": N}]}, as in Cloud Quotas: "GPUS-PER-GPU-FAMILY-per-project-region"
    operator_roles        roles of the person who deploys, who is otherwise an owner
    projects              those that exist; otherwise all
    machine_types         {ZONE: [types that it offers]}; other zones offer all
    preempted             names of Spot machines that the cloud takes away now

stock.json    the object `stock`
trouble.json  {"METHOD HOST/PATH": [status, body]}: answers to give instead, by regular expression
"""
import json

STOCK_WORDS = {
    "ZONE_RESOURCE_POOL_EXHAUSTED": "The zone '{zone}' does not have enough resources available to fulfill the request.",
    "ZONE_RESOURCE_POOL_EXHAUSTED_WITH_DETAILS": "The zone '{zone}' does not have enough resources available to fulfill the request. '(resource type:compute)'.",
    "QUOTA_EXCEEDED": "Quota 'NVIDIA_H100_GPUS' exceeded. Limit: 8.0 in region {region}.",
    "RESOURCE_OPERATION_RATE_EXCEEDED": "Operation rate exceeded for resource in zone '{zone}'.",
    "INTERNAL_ERROR": "Internal error. Please try again or contact Google Support. (Code: '-1')",
}


class Conditions:
    def __init__(self, folder):
        self.folder, self.known = folder, {}

    def file(self, name):
        """The object in a file; {} if it does not exist."""
        path = self.folder / name
        try:
            stamp = path.stat()
        except FileNotFoundError:
            return {}
        stamp = stamp.st_mtime_ns, stamp.st_ino, stamp.st_size
        if self.known.get(name, (None,))[0] != stamp:
            try:
                self.known[name] = stamp, json.loads(path.read_text())
            except (FileNotFoundError, json.JSONDecodeError):
                return self.known.get(name, (None, {}))[1]  # just being written
        return self.known[name][1]

    def get(self, key, default=None):
        return self.file("conditions.json").get(key, default)

    def stock(self):
        return {**self.get("stock", {}), **self.file("stock.json")}

    def use_stock(self, zone, count):
        """Notes that machines were made where there is room for some only."""
        for name, inside in (("stock.json", None), ("conditions.json", "stock")):
            whole = self.file(name)
            stock = whole.get(inside, {}) if inside else whole
            if isinstance(stock.get(zone), int):
                stock = {**stock, zone: stock[zone] - count}
                path = self.folder / name
                path.with_suffix(".new").write_text(json.dumps({**whole, inside: stock} if inside else stock))
                path.with_suffix(".new").rename(path)
                return
