"""What Terraform's provider sends for file systems and services."""
import json

from links import path_of
from provider_machines import many
from provider_words import camels, labels_of, picked


class ServiceResources:
    """A part of Provider."""

    def make_filestore_instance(self, body):
        made = {**picked(body, "description", "tier", "protocol", "deletion_protection_enabled", "deletion_protection_reason"), "labels": labels_of(body)}
        made["fileShares"] = [{"name": row["name"], "capacityGb": str(row["capacity_gb"]), "nfsExportOptions": camels(many(row.get("nfs_export_options")))}
                              for row in many(body["file_shares"])]
        made["networks"] = camels(many(body["networks"]))
        host, name = "file.googleapis.com", f"projects/{body['project']}/locations/{body.get('location') or body.get('zone')}/instances/{body['name']}"
        self.wait_long(host, self.send("POST", f"{host}/v1/{name.rsplit('/', 1)[0]}", made, instanceId=body["name"]))
        found = self.send("GET", f"{host}/v1/{name}")
        return {"id": name, "name": body["name"], "networks": [{"ip_addresses": row["ipAddresses"]} for row in found["networks"]], "//url": f"{host}/v1/{name}"}

    def make_lustre_instance(self, body):
        made = {**picked(body, "description", "filesystem", "network", "gke_support_enabled", "kms_key"), "labels": labels_of(body),
                "capacityGib": str(body["capacity_gib"]), "perUnitStorageThroughput": str(body.get("per_unit_storage_throughput") or 0)}
        host, name = "lustre.googleapis.com", f"projects/{body['project']}/locations/{body['location']}/instances/{body['instance_id']}"
        self.wait_long(host, self.send("POST", f"{host}/v1/{name.rsplit('/', 1)[0]}", made, instanceId=body["instance_id"]))
        found = self.send("GET", f"{host}/v1/{name}")
        return {"id": name, "name": name, "mount_point": found["mountPoint"], "//url": f"{host}/v1/{name}"}

    def make_project_service(self, body):
        name = f"projects/{body['project']}/services/{body['service']}"
        self.wait_long("serviceusage.googleapis.com", self.send("POST", f"serviceusage.googleapis.com/v1/{name}:enable", {}))
        return {"id": f"{body['project']}/{body['service']}", "service": body["service"]}

    def make_bigquery_dataset(self, body):
        host, project = "bigquery.googleapis.com/bigquery/v2", f"projects/{body['project']}"
        made = {**picked(body, "description", "location", "friendly_name"), "labels": labels_of(body),
                "datasetReference": {"projectId": body["project"], "datasetId": body["dataset_id"]}}
        self.send("POST", f"{host}/{project}/datasets", made)
        name = f"{project}/datasets/{body['dataset_id']}"
        return {"id": name, "dataset_id": body["dataset_id"], "//url": f"{host}/{name}"}

    def make_bigquery_table(self, body):
        host, dataset = "bigquery.googleapis.com/bigquery/v2", f"projects/{body['project']}/datasets/{body['dataset_id']}"
        made = {**picked(body, "description", "friendly_name"), "labels": labels_of(body), "schema": {"fields": json.loads(body["schema"])},
                "tableReference": {"projectId": body["project"], "datasetId": body["dataset_id"], "tableId": body["table_id"]}}
        self.send("POST", f"{host}/{dataset}/tables", made)
        name = f"{dataset}/tables/{body['table_id']}"
        return {"id": name, "dataset_id": body["dataset_id"], "table_id": body["table_id"], "//url": f"{host}/{name}"}

    def make_bigquery_table_iam_member(self, body):
        name = f"projects/{body['project']}/datasets/{body['dataset_id']}/tables/{body['table_id']}"
        return self.binding("table", name, body)

    def make_service_networking_connection(self, body):
        network, service = path_of(body["network"]), f"services/{body['service']}"
        made = {"network": network, "reservedPeeringRanges": body["reserved_peering_ranges"]}
        self.wait_long("servicenetworking.googleapis.com", self.send("POST", f"servicenetworking.googleapis.com/v1/{service}/connections", made))
        peering = body["service"].replace(".", "-")
        return {"id": network, "peering": peering, "network": body["network"], "reserved_peering_ranges": body["reserved_peering_ranges"],
                "//connection": [service, network]}

    def disconnect(self, service, network):
        peering = service.removeprefix("services/").replace(".", "-")
        url = f"servicenetworking.googleapis.com/v1/{service}/connections/{peering}"
        self.wait_long("servicenetworking.googleapis.com", self.send("POST", url, {"consumerNetwork": network}))
