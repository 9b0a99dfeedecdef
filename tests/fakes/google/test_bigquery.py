#!/usr/bin/env python3
"""Tests the stand-in's BigQuery: datasets, tables, rows and who may write them."""
import json, unittest

from testing import CloudTest

HOST = "bigquery.googleapis.com/bigquery/v2/projects/p"
TABLE = f"{HOST}/datasets/d/tables/t"
FIELDS = [{"name": "id", "type": "INTEGER", "mode": "REQUIRED"}, {"name": "name", "type": "STRING"}, {"name": "end", "type": "DATETIME"}]


class BigQuery(CloudTest):
    def setUp(self):
        super().setUp()
        self.works("POST", f"{HOST}/datasets", {"datasetReference": {"projectId": "p", "datasetId": "d"}})
        self.works("POST", f"{HOST}/datasets/d/tables", {"tableReference": {"projectId": "p", "datasetId": "d", "tableId": "t"},
                                                        "schema": {"fields": FIELDS}})

    def insert(self, *rows, **more):
        body = {"rows": [{"insertId": str(row.get("id", "")), "json": row} for row in rows], **more}
        return self.works("POST", f"{TABLE}/insertAll", body).get("insertErrors", [])

    def rows(self):
        return [[cell["v"] for cell in row["f"]] for row in self.works("GET", f"{TABLE}/data").get("rows", [])]

    def test_rows_have_the_tables_columns(self):
        self.assertEqual(self.insert({"id": 1, "name": "a", "end": "2026-11-23T10:00:00"}, {"id": "2", "name": None}), [])
        self.assertEqual(self.rows(), [[1, "a", "2026-11-23T10:00:00"], ["2", None, None]])
        for row, reason in [({"id": 3, "nam": "x"}, "no such field: nam."), ({"name": "x"}, "Missing required field: id."),
                            ({"id": "x"}, "Cannot convert value to integer: x"), ({"id": 3, "end": "soon"}, "Cannot convert value to datetime: soon")]:
            [error] = self.insert(row)
            self.assertEqual(error["errors"][0]["message"], reason)

    def test_one_wrong_row_stops_the_others_unless_it_is_to_be_skipped(self):
        errors = self.insert({"id": 1}, {"id": "x"})
        self.assertEqual([(row["index"], row["errors"][0]["reason"]) for row in errors], [(1, "invalid"), (0, "stopped")])
        self.assertEqual(self.rows(), [])
        self.assertEqual([row["index"] for row in self.insert({"id": 1}, {"id": "x"}, skipInvalidRows=True)], [1])
        self.assertEqual(len(self.rows()), 1)

    def test_a_row_that_is_sent_again_is_recognized_for_a_minute_only(self):
        self.insert({"id": 1})
        self.insert({"id": 1})
        self.assertEqual(len(self.rows()), 1)
        self.time += 61
        self.insert({"id": 1})
        self.assertEqual(len(self.rows()), 2)

    def test_a_request_has_a_limit(self):
        self.refused(400, "No rows present", "POST", f"{TABLE}/insertAll", {"rows": []})
        self.refused(413, "uploadTooLarge", "POST", f"{TABLE}/insertAll", {"rows": [{"json": {"id": 1, "name": "x" * (10 << 20)}}]})
        self.refused(413, "uploadTooLarge", "POST", f"{TABLE}/insertAll", {"rows": [{"json": {"id": 1}}] * 50001})

    def test_fields_of_requests_have_to_exist(self):
        self.refused(400, 'Unknown name "row"', "POST", f"{TABLE}/insertAll", {"row": []})
        self.refused(404, "notFound", "POST", f"{HOST}/datasets/d/tables/other/insertAll", {"rows": [{"json": {}}]})
        self.refused(400, "invalid", "POST", f"{HOST}/datasets", {"datasetReference": {"datasetId": "a-b"}})

    def test_a_dataset_with_tables_stays(self):
        self.refused(400, "resourceInUse", "DELETE", f"{HOST}/datasets/d")
        self.works("DELETE", TABLE)
        self.works("DELETE", f"{HOST}/datasets/d")
        self.refused(404, "notFound", "GET", TABLE)

    def test_columns_can_be_added_and_not_taken_away(self):
        self.works("PATCH", TABLE, {"schema": {"fields": [*FIELDS, {"name": "more", "type": "STRING"}]}})
        self.refused(400, "Field end is missing", "PATCH", TABLE, {"schema": {"fields": FIELDS[:2]}})
        self.refused(400, "Cannot add required fields", "PATCH", TABLE, {"schema": {"fields": [
            *FIELDS, {"name": "more", "type": "STRING"}, {"name": "last", "type": "STRING", "mode": "REQUIRED"}]}})

    def test_a_machine_writes_the_tables_that_its_account_may_write(self):
        self.works("POST", "iam.googleapis.com/v1/projects/p/serviceAccounts", {"accountId": "nodes-a", "serviceAccount": {}})
        account = "nodes-a@p.iam.gserviceaccount.com"
        self.network()
        self.template(serviceAccounts=[{"email": account, "scopes": ["https://www.googleapis.com/auth/cloud-platform"]}])
        self.works("POST", "projects/p/zones/us-central1-a/instances/bulkInsert", self.bulk("m"))
        self.time += 600
        self.cloud.advance()
        body, token = {"rows": [{"json": {"id": 1}}]}, self.token_of("m")
        self.refused(403, "bigquery.tables.updateData", "POST", f"{TABLE}/insertAll", body, token=token)
        policy = {"bindings": [{"role": "roles/bigquery.dataEditor", "members": [f"serviceAccount:{account}"]}]}
        self.works("POST", f"{TABLE}:setIamPolicy", {"policy": policy})
        self.time += 600
        self.works("POST", f"{TABLE}/insertAll", body, token=token)
        self.refused(403, "bigquery.datasets.create", "POST", f"{HOST}/datasets", {"datasetReference": {"datasetId": "e"}}, token=token)


if __name__ == "__main__":
    unittest.main()
