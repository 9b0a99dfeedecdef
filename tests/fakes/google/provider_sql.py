"""What Terraform's provider sends for Cloud SQL and BigQuery's connections.

terraform-provider-google, google/services/sql/resource_sql_database_instance.go, resource_sql_user.go and resource_sql_database.go;
google/services/bigqueryconnection/resource_bigquery_connection.go
"""
import json

from provider_machines import many
from provider_words import Failed, camels, labels_of, picked

HOST = "sqladmin.googleapis.com/sql/v1beta4"


def one(block):
    return many(block)[0] if many(block) else None


class SqlResources:
    """A part of Provider."""

    def sql(self, verb, path, body=None, **query):
        """Sends a change of an instance, and waits for its operation."""
        operation = self.send(verb, f"{HOST}/{path}", body, **query)
        while operation["status"] != "DONE":
            operation = self.send("GET", f"{HOST}/projects/{operation['targetProject']}/operations/{operation['name']}")
        if "error" in operation:
            raise Failed(json.dumps(operation["error"]))

    def make_sql_database_instance(self, body):
        project, settings = body["project"], one(body["settings"])
        made = picked(settings, "tier", "edition", "availability_type", disk_autoresize="storageAutoResize", disk_type="dataDiskType")
        if settings.get("disk_size") is not None:
            made["dataDiskSizeGb"] = str(settings["disk_size"])
        made["userLabels"] = labels_of({"labels": settings.get("user_labels")})
        made["databaseFlags"] = camels(many(settings.get("database_flags")))
        for key in ("data_cache_config", "backup_configuration", "insights_config", "ip_configuration"):
            if one(settings.get(key)):
                made.update(camels({key: one(settings[key])}))
        if "pscConfig" in made.get("ipConfiguration", {}):
            made["ipConfiguration"]["pscConfig"] = one(made["ipConfiguration"]["pscConfig"])
        path = f"projects/{project}/instances/{body['name']}"
        self.sql("POST", f"projects/{project}/instances", {**picked(body, "name", "region", "database_version"), "project": project,
                                                         "instanceType": "CLOUD_SQL_INSTANCE", "settings": made})
        # The user that every instance of MySQL begins with can log in from everywhere.
        for user in self.send("GET", f"{HOST}/{path}/users")["items"]:
            if (user["name"], user["host"]) == ("root", "%"):
                self.sql("DELETE", f"{path}/users", name="root", host="%")
        found = self.send("GET", f"{HOST}/{path}")
        private = next((row["ipAddress"] for row in found["ipAddresses"] if row["type"] == "PRIVATE"), "")
        return {"id": body["name"], "name": body["name"], "connection_name": found["connectionName"], "private_ip_address": private,
                "psc_service_attachment_link": found.get("pscServiceAttachmentLink", ""), "//sql": [path, {}]}

    def make_sql_database(self, body):
        path = f"projects/{body['project']}/instances/{body['instance']}/databases"
        self.sql("POST", path, picked(body, "name", "instance", "project", "charset", "collation"))
        return {"id": f"{path}/{body['name']}", "name": body["name"], "//sql": [f"{path}/{body['name']}", {}]}

    def make_sql_user(self, body):
        path = f"projects/{body['project']}/instances/{body['instance']}/users"
        made = picked(body, "name", "instance", "project", "host", "type", password_wo="password")
        self.sql("POST", path, {**made, "password": made.get("password") or body.get("password") or ""})
        return {"id": f"{body['name']}//{body['instance']}", "name": body["name"], "//sql": [path, {"name": body["name"], "host": body.get("host") or ""}]}

    def delete_sql(self, path, query):
        self.sql("DELETE", path, **query)

    def make_bigquery_connection(self, body):
        sql = one(body["cloud_sql"])
        host, place = "bigqueryconnection.googleapis.com/v1", f"projects/{body['project']}/locations/{body['location']}"
        made = {**picked(body, "friendly_name", "description"), "cloudSql": {**camels(sql), "credential": one(sql["credential"])}}
        found = self.send("POST", f"{host}/{place}/connections", made, connectionId=body.get("connection_id") or "")
        return {"id": found["name"], "name": found["name"], "connection_id": found["name"].split("/")[-1], "//url": f"{host}/{found['name']}"}
