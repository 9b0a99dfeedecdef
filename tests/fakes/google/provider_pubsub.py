"""What Terraform's provider sends for Pub/Sub: terraform-provider-google, google/services/pubsub/."""
from provider_machines import many
from provider_words import camels, labels_of, picked

PUBSUB = "pubsub.googleapis.com/v1"


class PubSubResources:
    """A part of Provider."""

    def make_pubsub_schema(self, body):
        name = f"projects/{body['project']}/schemas/{body['name']}"
        self.send("POST", f"{PUBSUB}/projects/{body['project']}/schemas", picked(body, "type", "definition", "name"), schemaId=body["name"])
        return {"id": name, "name": body["name"], "//url": f"{PUBSUB}/{name}"}

    def make_pubsub_topic(self, body):
        name = f"projects/{body['project']}/topics/{body['name']}"
        made = {**picked(body, "kms_key_name", "message_retention_duration"), "labels": labels_of(body)}
        if many(body.get("schema_settings")):
            made["schemaSettings"] = camels(many(body["schema_settings"])[0])
        self.send("PUT", f"{PUBSUB}/{name}", made)
        return {"id": name, "name": body["name"], "//url": f"{PUBSUB}/{name}"}

    def make_pubsub_subscription(self, body):
        name = f"projects/{body['project']}/subscriptions/{body['name']}"
        topic = body["topic"] if "/" in body["topic"] else f"projects/{body['project']}/topics/{body['topic']}"
        made = {**picked(body, "ack_deadline_seconds", "message_retention_duration", "filter"), "labels": labels_of(body), "topic": topic}
        if many(body.get("bigquery_config")):
            made["bigqueryConfig"] = camels(many(body["bigquery_config"])[0])
        self.send("PUT", f"{PUBSUB}/{name}", made)
        return {"id": name, "name": body["name"], "//url": f"{PUBSUB}/{name}"}
