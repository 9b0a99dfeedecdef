#!/usr/bin/env python3
"""Deploys topics whose messages go to BigQuery to the stand-in: test_messages.py SLIPWAY"""
import json, pathlib, sys, tempfile, unittest

sys.dont_write_bytecode = True  # keep the source tree clean
HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "golden")]
import test_examples
from control import left
from provider import Failed
from run import installed
from testing import CloudTest

BLUEPRINT = """
blueprint_name: messages
vars: {deployment_name: news, project_id: my-project, region: us-central1, zone: us-central1-a}
deployment_groups:
- group: primary
  modules:
  - {id: dataset, source: community/modules/database/bigquery-dataset}
  - {id: topic, source: community/modules/pubsub/topic, settings: {schema_json: '{"type": "record", "name": "A", "fields": [{"name": "step", "type": "int"}]}'}}
  - id: table
    source: community/modules/database/bigquery-table
    use: [dataset]
    settings: {table_schema: 'SCHEMA'}
  - {id: subscription, source: community/modules/pubsub/bigquery-sub, use: [topic, dataset, table]}
"""
METADATA = ["subscription_name", "message_id", "attributes"]
COLUMNS = [{"name": name, "type": "STRING"} for name in METADATA] + [{"name": "publish_time", "type": "TIMESTAMP"}, {"name": "step", "type": "INTEGER"}]


class Deployed(unittest.TestCase):
    def example(self, columns):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        blueprint = pathlib.Path(folder.name) / "messages.yaml"
        blueprint.write_text(BLUEPRINT.replace("SCHEMA", json.dumps(columns)))
        return test_examples.Example(blueprint, pathlib.Path(folder.name))

    def test_a_topics_messages_go_to_a_table_and_nothing_is_left(self):
        example = self.example(COLUMNS)
        example.deploy()
        [(_, subscription)] = example.cloud.under("pubsub", "projects/my-project/subscriptions/")
        self.assertIn(subscription["topic"], [path for path, _ in example.cloud.under("pubsub", "projects/my-project/topics/")])
        self.assertTrue(subscription["bigqueryConfig"]["useTopicSchema"])
        example.changes.clear()
        example.deploy()
        self.assertEqual(example.changes, [])
        example.destroy()
        self.assertEqual(left(example.cloud), [])

    def test_a_table_without_the_topics_columns_ends_the_deployment(self):
        with self.assertRaisesRegex(Failed, "no column step"):
            self.example(COLUMNS[:-1]).deploy()


class Refused(CloudTest):
    HOST = "pubsub.googleapis.com/v1/projects/p"
    SCHEMA = {"type": "AVRO", "name": "s", "definition": '{"type": "record", "name": "A", "fields": [{"name": "step", "type": "int"}]}'}

    def test_fields_values_and_names_that_do_not_exist(self):
        self.refused(400, "nvalid", "PUT", f"{self.HOST}/topics/news", {"colors": []})
        self.refused(400, "nvalid", "PUT", f"{self.HOST}/topics/7", {})
        self.refused(400, "nvalid", "POST", f"{self.HOST}/schemas", {**self.SCHEMA, "type": "XML"}, schemaId="schema")
        self.refused(400, "AVRO", "POST", f"{self.HOST}/schemas", {**self.SCHEMA, "definition": "step: int"}, schemaId="schema")
        self.refused(404, "not found", "PUT", f"{self.HOST}/topics/news", {"schemaSettings": {"schema": "projects/p/schemas/schema"}})
        self.works("PUT", f"{self.HOST}/topics/news", {})
        self.refused(409, "alreadyExists", "PUT", f"{self.HOST}/topics/news", {})

    def test_a_subscription_needs_its_topic_its_table_and_the_right_to_write(self):
        to_table = {"topic": "projects/p/topics/news", "bigqueryConfig": {"table": "p.d.t"}}
        self.refused(404, "topics/news", "PUT", f"{self.HOST}/subscriptions/reader", to_table)
        self.works("PUT", f"{self.HOST}/topics/news", {})
        self.refused(404, "table not found", "PUT", f"{self.HOST}/subscriptions/reader", to_table)
        tables = "bigquery.googleapis.com/bigquery/v2/projects/p/datasets"
        self.works("POST", tables, {"datasetReference": {"projectId": "p", "datasetId": "d"}})
        self.works("POST", f"{tables}/d/tables", {"tableReference": {"projectId": "p", "datasetId": "d", "tableId": "t"},
                                                 "schema": {"fields": [{"name": "data", "type": "STRING"}]}})
        self.refused(403, "gcp-sa-pubsub", "PUT", f"{self.HOST}/subscriptions/reader", to_table)


if __name__ == "__main__":
    program = sys.argv.pop(1)
    with tempfile.TemporaryDirectory() as prefix:
        test_examples.SLIPWAY = installed(program, pathlib.Path(prefix) / "prefix")
        unittest.main(verbosity=0)
