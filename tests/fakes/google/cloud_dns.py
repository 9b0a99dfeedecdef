"""Cloud DNS: zones, and changes of their records. dns.py answers the queries of machines, and knows nothing of these.

What is refused: https://docs.cloud.google.com/dns/docs/records-overview (types, data, CNAME), …/zones/zones-overview, and
…/reference/rest/v1/changes/create
"""
import copy, ipaddress, re

from errors import Refusal

TYPES = {"A", "AAAA", "ALIAS", "CAA", "CNAME", "DNSKEY", "DS", "HTTPS", "IPSECKEY", "MX", "NAPTR", "NS", "PTR", "SOA", "SPF", "SRV", "SSHFP", "SVCB",
         "TLSA", "TXT"}
DOMAIN = re.compile(r"(\*\.)?([a-z0-9_]([-a-z0-9_]{0,61}[a-z0-9_])?\.)+", re.I)
SERVERS = [f"ns-cloud-a{number}.googledomains.com." for number in (1, 2, 3, 4)]


def wrong(field, value, why):
    return Refusal(400, f"Invalid value for '{field}': '{value}': {why}", "invalid")


def check_domain(field, value):
    if not DOMAIN.fullmatch(value) or len(value) > 254:
        raise wrong(field, value, "it is a domain with a final dot.")


class CloudDns:
    def __init__(self, cloud):
        self.cloud = cloud

    def call(self, method, params, query, body, caller):
        kind, verb = method.name.lower().split(".")
        project = f"projects/{params['project']}"
        kind = {"managedzones": "managedZones", "resourcerecordsets": "resourceRecordSets"}.get(kind, kind)
        self.cloud.rights.require(caller, f"dns.{kind}.{'update' if verb == 'patch' else verb}", project)
        zones = f"{project}/managedZones"
        if "managedZone" not in params:
            return self.create(zones, body) if verb == "create" else {"managedZones": [one["zone"] for _, one in self.cloud.under("dns", f"{zones}/")]}
        found = self.cloud.get("dns", f"{zones}/{params['managedZone']}")
        if found is None:
            raise Refusal(404, f"The 'parameters.managedZone' resource named '{params['managedZone']}' does not exist.", "notFound")
        if kind == "managedZones":
            return getattr(self, verb)(f"{zones}/{params['managedZone']}", found, body)
        if kind == "changes":
            return self.change(found, body) if verb == "create" else found["changes"][int(params["changeId"])] if verb == "get" else {"changes": found["changes"]}
        return {"rrsets": [row for row in found["records"] if all(row[key] == query[key] for key in ("name", "type") if key in query)]}

    # zones

    def create(self, zones, body):
        name, domain = body.get("name", ""), body.get("dnsName", "")
        if not re.fullmatch(r"[a-z]([-a-z0-9]{0,61}[a-z0-9])?", name):
            raise wrong("entity.managedZone.name", name, "it has at most 63 lowercase letters, digits and hyphens.")
        if self.cloud.get("dns", f"{zones}/{name}") is not None:
            raise Refusal(409, f"The resource 'entity.managedZone' named '{name}' already exists", "alreadyExists")
        check_domain("entity.managedZone.dnsName", domain)
        if "description" not in body:
            raise Refusal(400, "The 'entity.managedZone.description' parameter is required but was missing.", "required")
        if body.get("visibility", "public") not in ("public", "private"):
            raise wrong("entity.managedZone.visibility", body["visibility"], "it is public or private.")
        zone = {**copy.deepcopy(body), "id": self.cloud.new_id(), "nameServers": SERVERS, "creationTime": "2026-11-01T00:00:00Z"}
        records = [{"name": domain, "type": "NS", "ttl": 21600, "rrdatas": SERVERS},
                   {"name": domain, "type": "SOA", "ttl": 21600, "rrdatas": [f"{SERVERS[0]} cloud-dns-hostmaster.google.com. 1 21600 3600 259200 300"]}]
        self.cloud.put("dns", f"{zones}/{name}", {"zone": zone, "records": records, "changes": []})
        return zone

    def get(self, path, found, _):
        return found["zone"]

    def patch(self, path, found, body):
        for key in ("name", "dnsName", "visibility"):
            if body.get(key, found["zone"].get(key)) != found["zone"].get(key):
                raise wrong(f"entity.managedZone.{key}", body[key], "it cannot be changed.")
        found["zone"].update(copy.deepcopy(body))
        return {"status": "done", "zoneContext": {"newValue": found["zone"]}}

    def delete(self, path, found, _):
        if any(row["name"] != found["zone"]["dnsName"] or row["type"] not in ("NS", "SOA") for row in found["records"]):
            raise Refusal(400, f"The resource named '{found['zone']['name']}' cannot be deleted because it contains one or more 'resource records'.",
                          "containerNotEmpty")
        self.cloud.remove("dns", path)
        return b""

    # records

    def change(self, found, body):
        """All or nothing: each deletion names a record that is there, and no addition is there yet."""
        records = list(found["records"])
        for row in body.get("deletions") or []:
            same = [one for one in records if all(one.get(key) == row.get(key) for key in ("name", "type", "ttl", "rrdatas"))]
            if not same:
                raise Refusal(404, f"The 'entity.change.deletions' resource named '{row.get('name')} ({row.get('type')})' does not exist.", "notFound")
            records.remove(same[0])
        for row in body.get("additions") or []:
            self.check_record(found["zone"], row)
            if any((one["name"], one["type"]) == (row["name"], row["type"]) for one in records):
                raise Refusal(409, f"The resource 'entity.change.additions' named '{row['name']} ({row['type']})' already exists", "alreadyExists")
            beside = {one["type"] for one in records if one["name"] == row["name"]}
            if "CNAME" in beside or (row["type"] == "CNAME" and (beside or row["name"] == found["zone"]["dnsName"])):
                raise Refusal(400, f"The resource record set '{row['name']} ({row['type']})' is invalid because a CNAME is the only record of its name.",
                              "cnameResourceRecordSetConflict")
            records.append(copy.deepcopy(row))
        found["records"] = records
        made = {**copy.deepcopy(body), "id": str(len(found["changes"])), "status": "pending", "startTime": "2026-11-01T00:00:00Z"}
        found["changes"].append(made)
        answer = copy.deepcopy(made)
        self.cloud.at(self.cloud.conditions.get("operation_seconds", 0), lambda: made.update(status="done"))
        return answer

    @staticmethod
    def check_record(zone, row):
        name, kind, data = row.get("name", ""), row.get("type", ""), row.get("rrdatas") or []
        check_domain("entity.change.additions.name", name)
        if name != zone["dnsName"] and not name.endswith("." + zone["dnsName"]):
            raise wrong("entity.change.additions.name", name, f"it is not in the zone {zone['dnsName']}.")
        if kind not in TYPES:
            raise wrong("entity.change.additions.type", kind, "Cloud DNS does not have this type.")
        if not data or kind in ("CNAME", "SOA") and len(data) > 1:
            raise wrong("entity.change.additions.rrdata", data, f"a record of the type {kind} has another number of values.")
        if not 0 <= int(row.get("ttl") or 0) < 2**31:
            raise wrong("entity.change.additions.ttl", row["ttl"], "it is from 0 to 2147483647.")
        for value in data:
            if kind in ("CNAME", "NS", "PTR"):
                check_domain("entity.change.additions.rrdata", value)
            elif kind in ("A", "AAAA"):
                try:
                    {"A": ipaddress.IPv4Address, "AAAA": ipaddress.IPv6Address}[kind](value)
                except ValueError as error:
                    raise wrong("entity.change.additions.rrdata", value, "it is not an address of that type.") from error
