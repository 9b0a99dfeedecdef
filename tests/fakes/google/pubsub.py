"""Pub/Sub: schemas, topics, and subscriptions that write to BigQuery. Messages are not kept.

What is refused: https://docs.cloud.google.com/pubsub/docs/pubsub-basics (names), …/schemas, and …/bigquery (columns of the table, and the
rights of Pub/Sub's own account)
"""
import copy, json, re

from compute.facts import number_of
from errors import Refusal
from links import part
from rights import Caller

NAME = re.compile(r"(?!goog)[A-Za-z][-\w.~+%]{2,254}", re.A)
# Columns of a subscription that writes metadata.
METADATA = ("subscription_name", "message_id", "publish_time", "attributes")


class PubSub:
    def __init__(self, cloud):
        self.cloud = cloud

    def call(self, method, params, query, body, caller):
        verb, kind = re.fullmatch(r"\w+\.(create|delete|get|list)(Topic|Subscription|Schema)s?", method.name).groups()
        kind = kind.lower() + "s"
        name = next(iter(params.values()))
        project = f"projects/{part(name, 'projects')}"
        self.cloud.rights.require(caller, f"pubsub.{kind}.{verb}", name, project)
        if verb == "list":
            return {kind: [one for _, one in self.cloud.under("pubsub", f"{project}/{kind}/")]}
        path = f"{project}/schemas/{query.get('schemaId', '')}" if (kind, verb) == ("schemas", "create") else name
        found = self.cloud.get("pubsub", path)
        if verb == "create":
            if found is not None:
                raise Refusal(409, f"Resource already exists in the project (resource={path.rsplit('/', 1)[1]}).", "alreadyExists")
            if not NAME.fullmatch(path.rsplit("/", 1)[1]):
                raise Refusal(400, f"Invalid resource name given (name={path}).", "invalid")
            getattr(self, f"check_{kind}")(project, body)
            return self.cloud.put("pubsub", path, {**copy.deepcopy(body), "name": path})
        if found is None:
            raise Refusal(404, f"Resource not found (resource={path.rsplit('/', 1)[1]}).", "notFound")
        if verb == "delete":
            self.cloud.remove("pubsub", path)
            return {}
        return found

    def check_schemas(self, project, body):
        if body.get("type") == "AVRO":
            columns_of(body)
        elif body.get("type") != "PROTOCOL_BUFFER":
            raise Refusal(400, "Invalid schema: its type has to be AVRO or PROTOCOL_BUFFER.", "invalid")

    def check_topics(self, project, body):
        schema = (body.get("schemaSettings") or {}).get("schema")
        if schema and self.cloud.get("pubsub", schema) is None:
            raise Refusal(404, f"Resource not found (resource={schema}).", "notFound")

    def check_subscriptions(self, project, body):
        topic = self.cloud.get("pubsub", body.get("topic", ""))
        if topic is None:
            raise Refusal(404, f"Resource not found (resource={body.get('topic')}).", "notFound")
        config = body.get("bigqueryConfig")
        if config:
            self.check_table(project, topic, config)

    def check_table(self, project, topic, config):
        names = re.fullmatch(r"([^:.]+)[:.]([^.]+)\.([^.]+)", config.get("table", ""))
        if not names:
            raise Refusal(400, f"Invalid table: {config.get('table')}: it is PROJECT.DATASET.TABLE.", "invalid")
        place = "projects/{}/datasets/{}".format(*names.groups())
        table = self.cloud.get("bigquery", f"{place}/tables/{names[3]}")
        if table is None:
            raise Refusal(404, f"BigQuery table not found: {config['table']}", "notFound")
        writer = config.get("serviceAccountEmail") or f"service-{number_of(project.split('/')[1])}@gcp-sa-pubsub.iam.gserviceaccount.com"
        for right in ("bigquery.tables.get", "bigquery.tables.updateData"):
            if not self.cloud.rights.has(Caller(writer, ()), right, f"{place}/tables/{names[3]}", place, f"projects/{names[1]}"):
                raise Refusal(403, f"Invalid resource state: the account {writer} does not have {right} for the table.", "forbidden")
        needed = list(METADATA) if config.get("writeMetadata") else []
        if config.get("useTopicSchema"):
            schema = (topic.get("schemaSettings") or {}).get("schema")
            if not schema:
                raise Refusal(400, f"The topic {topic['name']} has no schema.", "FAILED_PRECONDITION")
            needed += [] if config.get("dropUnknownFields") else columns_of(self.cloud.get("pubsub", schema))
        elif not config.get("useTableSchema"):
            needed.append("data")
        columns = {field["name"] for field in (table.get("schema") or {}).get("fields", [])}
        for name in needed:
            if name not in columns:
                raise Refusal(400, f"Incompatible schema mapping: the table {config['table']} has no column {name}.", "FAILED_PRECONDITION")


def columns_of(schema):
    """The names of an Avro record's fields; none of another schema's."""
    if schema["type"] != "AVRO":
        return []
    try:
        record = json.loads(schema.get("definition", ""))
        return [field["name"] for field in record["fields"]] if record["type"] == "record" else []
    except (ValueError, KeyError, TypeError) as error:
        raise Refusal(400, f"Invalid schema: AVRO: {error}", "invalid") from error
