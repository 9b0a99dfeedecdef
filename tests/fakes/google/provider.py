"""What Terraform's Google provider sends for a resource of the definitions: requests that make it, its attributes, and what a change does.

Only the types that our definitions use. Facts about the provider: terraform-provider-google 7.45, google/services/… — which attributes
force a replacement, that google_compute_instance_from_template sends labels of its own over the template's, that an object with
`source_md5hash` is written again when that changes.
"""
import json

from links import part, path_of
from provider_compute import ComputeResources
from provider_dns import DnsResources
from provider_netapp import NetAppResources
from provider_pubsub import PubSubResources
from provider_services import ServiceResources
from provider_sql import SqlResources
from provider_storage import StorageResources
from provider_words import COMPUTE, Failed


class Provider(ComputeResources, StorageResources, ServiceResources, SqlResources, PubSubResources, DnsResources,
               NetAppResources):
    """`send(verb, url, body, **query)` sends a request and gives the answer's body, or throws Failed."""

    def __init__(self, send):
        self.send = send

    def create(self, kind, body):
        """Makes a resource; gives its attributes, with `id` and `//path` for deleting it."""
        return getattr(self, "make_" + kind.removeprefix("google_"))(body)

    # compute

    def compute(self, place, collection, made, **query):
        base = f"{COMPUTE}{place}/{collection}"
        self.wait(self.send("POST", base, made, **query))
        return self.read(f"{place}/{collection}/{made['name']}")

    def read(self, path):
        found = self.send("GET", COMPUTE + path)
        return {"id": path, "self_link": found["selfLink"], "name": found["name"], "//url": COMPUTE + path, "found": found}

    def wait(self, operation):
        """Waits for an operation of any service."""
        while operation.get("status", "DONE") != "DONE" or operation.get("done") is False:
            if "selfLink" in operation:
                operation = self.send("GET", COMPUTE + path_of(operation["selfLink"]))
            else:
                operation = self.send("GET", f"{operation['//host']}/v1/{operation['name']}")
        if "error" in operation:
            raise Failed(json.dumps(operation["error"]))
        return operation

    # operations of other services

    def long(self, host, place, made, **query):
        operation = self.send("POST", f"{host}/v1/{place}", made, **query)
        return self.wait({**operation, "//host": host} if operation.get("done") is False else operation)

    def wait_long(self, host, operation):
        while not operation.get("done"):
            operation = self.send("GET", f"{host}/v1/{operation['name']}")
        if "error" in operation:
            raise Failed(json.dumps(operation["error"]))

    # others' resources, and the end

    def data(self, kind, body):
        """A resource that was there before."""
        if kind == "google_project":
            found = self.send("GET", f"cloudresourcemanager.googleapis.com/v1/projects/{body['project_id']}")
            return {"id": f"projects/{found['projectId']}", "project_id": found["projectId"], "number": str(found["projectNumber"])}
        if kind == "google_compute_network":
            return self.read(f"projects/{body['project']}/global/networks/{body['name']}")
        if kind == "google_compute_image":
            base = f"{COMPUTE}projects/{body['project']}/global/images/"
            found = self.send("GET", base + (f"family/{body['family']}" if body.get("family") else body["name"]))
            return {"id": path_of(found["selfLink"]), "self_link": found["selfLink"], "name": found["name"], "family": found.get("family", "")}
        if kind == "google_compute_network_peering":
            peerings = self.read(path_of(body["network"]))["found"].get("peerings", [])
            return {"state": next((row["state"] for row in peerings if row["name"] == body["name"]), "INACTIVE"), **body}
        if kind == "google_compute_subnetwork":
            path = path_of(body["self_link"]) if body.get("self_link") else f"projects/{body['project']}/regions/{body['region']}/subnetworks/{body['name']}"
            found = self.read(path)
            return {**found, "network": found["found"]["network"], "ip_cidr_range": found["found"]["ipCidrRange"], "region": part(path, "regions")}
        raise KeyError(f"the data source {kind} is not known: add it to provider.py")

    def delete(self, made):
        """Undoes a resource by its attributes. A resource that is gone already counts as deleted."""
        try:
            if "//url" in made:
                host = made["//url"].split("/")[0]
                operation = self.send("DELETE", made["//url"])
                if isinstance(operation, dict) and operation.get("done") is False:
                    self.wait_long(host, operation)
                elif isinstance(operation, dict) and operation.get("kind") == "compute#operation":
                    self.wait(operation)
            for key, undo in (("//bound", self.unbind), ("//nat", self.remove_nat), ("//bucket", self.remove_bucket), ("//connection", self.disconnect),
                              ("//sql", self.delete_sql), ("//records", self.remove_records), ("//post", lambda url: self.send("POST", url))):
                if key in made:
                    undo(*made[key]) if isinstance(made[key], list) else undo(made[key])
        except Failed as failed:
            if not str(failed).startswith("404"):
                raise


# Attributes that the provider changes in place; any other change replaces the resource.
IN_PLACE = {
    "google_compute_subnetwork": {"private_ip_google_access", "log_config", "ip_cidr_range"}, "google_compute_firewall": {"allow", "deny", "source_ranges", "description"},
    "google_compute_instance_from_template": {"labels", "allow_stopping_for_update", "machine_type", "metadata", "tags"},
    "google_compute_instance": {"labels", "machine_type", "metadata", "tags", "allow_stopping_for_update"},
    "google_compute_disk": {"labels", "size"}, "google_compute_address": {"labels"}, "google_storage_bucket": {"labels", "force_destroy", "versioning"},
    "google_storage_bucket_object": {"content", "source", "source_md5hash", "detect_md5hash"}, "google_secret_manager_secret": {"labels"},
    "google_filestore_instance": {"labels", "file_shares", "description", "deletion_protection_enabled"}, "google_lustre_instance": {"labels", "description"},
    "google_service_account": {"display_name", "description"}, "google_compute_network": {"routing_mode", "delete_default_routes_on_create"},
    "google_project_service": {"disable_on_destroy"},
}
