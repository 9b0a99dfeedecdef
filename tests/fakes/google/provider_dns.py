"""What Terraform's provider sends for Cloud DNS: terraform-provider-google, google/services/dns/."""
from provider_words import labels_of, picked

DNS = "dns.googleapis.com/dns/v1"


class DnsResources:
    """A part of Provider."""

    def make_dns_managed_zone(self, body):
        made = {"description": "Managed by Terraform", "visibility": "public", **picked(body, "name", "dns_name", "description", "visibility"),
                "labels": labels_of(body)}
        found = self.send("POST", f"{DNS}/projects/{body['project']}/managedZones", made)
        name = f"projects/{body['project']}/managedZones/{body['name']}"
        return {"id": name, "name": body["name"], "name_servers": found["nameServers"], "//url": f"{DNS}/{name}"}

    def make_dns_record_set(self, body):
        zone, made = f"projects/{body['project']}/managedZones/{body['managed_zone']}", picked(body, "name", "type", "ttl", "rrdatas")
        # A record set of that name and type is replaced.
        there = self.send("GET", f"{DNS}/{zone}/rrsets")["rrsets"]
        gone = [row for row in there if (row["name"], row["type"]) == (body["name"], body["type"])]
        self.change_records(zone, {"additions": [made], **({"deletions": gone} if gone else {})})
        return {"id": f"{zone}/rrsets/{body['name']}/{body['type']}", "//records": [zone, body["name"], body["type"]]}

    def change_records(self, zone, change):
        made = self.send("POST", f"{DNS}/{zone}/changes", change)
        while made["status"] != "done":
            made = self.send("GET", f"{DNS}/{zone}/changes/{made['id']}")

    def remove_records(self, zone, name, kind):
        there = self.send("GET", f"{DNS}/{zone}/rrsets", None, name=name, type=kind)["rrsets"]
        if there:
            self.change_records(zone, {"deletions": there})
