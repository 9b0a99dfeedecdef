"""BigQuery: datasets, tables, and rows that are streamed into them. A table's rows are the lines of bigquery/PROJECT/DATASET/TABLE."""
import copy, json, re

from errors import Refusal

# https://docs.cloud.google.com/bigquery/quotas#streaming_inserts
MOST_ROWS, MOST_BYTES = 50000, 10 << 20
# Of each type, what a value looks like as JSON; values of other types are not looked at.
LIKE = {"INTEGER": r"-?\d+", "DATETIME": r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(\.\d{1,6})?"}
TYPES = {"STRING", "BYTES", "INTEGER", "INT64", "FLOAT", "FLOAT64", "NUMERIC", "BOOLEAN", "BOOL", "TIMESTAMP", "DATE", "TIME", "DATETIME", "JSON"}
REMEMBERED = 60  # seconds for which BigQuery tries to recognize an insertId


class BigQuery:
    def __init__(self, cloud):
        self.cloud, self.recent = cloud, {}

    def call(self, method, params, query, body, caller):
        path = params.get("resource") or "/".join(f"{key}s/{params[key + 'Id']}" for key in ("project", "dataset", "table") if key + "Id" in params)
        places = [path[:end.start()] for end in re.finditer(r"/(?=datasets/|tables/)|$", path)]
        self.cloud.rights.require(caller, self.cloud.rights.needed[f"bigquery:{method.name}"], *reversed(places))
        kind, verb = method.name.split(".")
        if verb != "insert" and self.cloud.get("bigquery", path) is None:
            raise Refusal(404, f"Not found: {'Dataset' if kind == 'Datasets' else 'Table'} {path}", "notFound")
        return getattr(self, f"{verb}_{kind.lower()}")(path, query, body)

    # datasets

    def insert_datasets(self, path, query, body):
        name = (body.get("datasetReference") or {}).get("datasetId", "")
        if not re.fullmatch(r"\w{1,1024}", name, re.A):
            raise Refusal(400, f'Invalid dataset ID "{name}". Dataset IDs must be alphanumeric (plus underscores) and must be at most 1024 '
                               "characters long.", "invalid")
        return self.make(f"{path}/datasets/{name}", body)

    def make(self, path, body):
        if self.cloud.get("bigquery", path) is not None:
            raise Refusal(409, f"Already Exists: {path}", "duplicate")
        return self.cloud.put("bigquery", path, {**copy.deepcopy(body), "id": path, "etag": "1"})

    def get_datasets(self, path, query, body):
        return self.cloud.get("bigquery", path)

    get_tables = get_datasets

    def patch_datasets(self, path, query, body):
        found = self.cloud.get("bigquery", path)
        found.update(copy.deepcopy(body))
        return found

    update_datasets = patch_datasets

    def delete_datasets(self, path, query, body):
        tables = [one for one, _ in self.cloud.under("bigquery", f"{path}/tables/")]
        if tables and query.get("deleteContents") != "true":
            raise Refusal(400, f"Dataset {path} is still in use", "resourceInUse")
        for table in tables:
            self.delete_tables(table, query, body)
        self.cloud.remove("bigquery", path)
        return {}

    # tables

    def insert_tables(self, path, query, body):
        name = (body.get("tableReference") or {}).get("tableId", "")
        if self.cloud.get("bigquery", path) is None:
            raise Refusal(404, f"Not found: Dataset {path}", "notFound")
        if not re.fullmatch(r"[\w -]{1,1024}", name):
            raise Refusal(400, f'Invalid table ID "{name}".', "invalid")
        self.check_schema(body)
        return self.make(f"{path}/tables/{name}", body)

    @staticmethod
    def columns(table):
        return {field["name"]: field for field in (table.get("schema") or {}).get("fields", [])}

    def check_schema(self, table):
        for name, field in self.columns(table).items():
            if not re.fullmatch(r"[A-Za-z_]\w{0,299}", name, re.A):
                raise Refusal(400, f'Invalid field name "{name}".', "invalid")
            if field.get("type") not in TYPES:
                raise Refusal(400, f"Invalid value for type: {field.get('type')} is not a valid value", "invalid")
            if field.get("mode", "NULLABLE") not in ("NULLABLE", "REQUIRED", "REPEATED"):
                raise Refusal(400, f"Invalid value for mode: {field['mode']} is not a valid value", "invalid")

    def patch_tables(self, path, query, body):
        found = self.cloud.get("bigquery", path)
        if "schema" in body:
            self.check_schema(body)
            before, after = self.columns(found), self.columns(body)
            for name in before:
                if name not in after:
                    raise Refusal(400, f"Provided Schema does not match Table {path}. Field {name} is missing in new schema", "invalid")
            for name in after:
                if name not in before and after[name].get("mode") == "REQUIRED":
                    raise Refusal(400, f"Provided Schema does not match Table {path}. Cannot add required fields to an existing schema. (field: {name})",
                                  "invalid")
        found.update(copy.deepcopy(body))
        return found

    update_tables = patch_tables

    def delete_tables(self, path, query, body):
        self.cloud.remove("bigquery", path)
        self.file(path).unlink(missing_ok=True)
        return {}

    def getIamPolicy_tables(self, path, query, body):
        return copy.deepcopy(self.cloud.policy(path))

    def setIamPolicy_tables(self, path, query, body):
        return self.cloud.services["iam"].set_policy(path, body.get("policy") or {})

    # rows

    def file(self, path):
        _, project, _, dataset, _, table = path.split("/")
        return self.cloud.folder / "bigquery" / project / dataset / table

    def list_tabledata(self, path, query, body):
        lines = self.file(path).read_text().splitlines() if self.file(path).exists() else []
        names = list(self.columns(self.cloud.get("bigquery", path)))
        return {"totalRows": str(len(lines)), "rows": [{"f": [{"v": row.get(name)} for name in names]} for row in map(json.loads, lines)]}

    def insertAll_tabledata(self, path, query, body):
        rows = body.get("rows") or []
        if not rows:
            raise Refusal(400, "No rows present in the request.", "invalid")
        if len(rows) > MOST_ROWS or len(json.dumps(body)) > MOST_BYTES:
            raise Refusal(413, "Request payload size exceeds the limit: 10485760 bytes.", "uploadTooLarge")
        columns = self.columns(self.cloud.get("bigquery", path))
        wrong = {number: found for number, row in enumerate(rows) if (found := self.mistake(columns, row, body.get("ignoreUnknownValues")))}
        errors = [{"index": number, "errors": [found]} for number, found in wrong.items()]
        if wrong and not body.get("skipInvalidRows"):
            stopped = {"reason": "stopped", "location": "", "debugInfo": "", "message": ""}
            return {"kind": "bigquery#tableDataInsertAllResponse",
                    "insertErrors": errors + [{"index": number, "errors": [stopped]} for number in range(len(rows)) if number not in wrong]}
        self.append(path, [row for number, row in enumerate(rows) if number not in wrong])
        return {"kind": "bigquery#tableDataInsertAllResponse", **({"insertErrors": errors} if errors else {})}

    @staticmethod
    def mistake(columns, row, ignore_unknown):
        """What is wrong with a row, or nothing."""
        def error(column, message):
            return {"reason": "invalid", "location": column, "debugInfo": "", "message": message}
        values = row.get("json")
        if not isinstance(values, dict):
            return error("", "Row has no values.")
        for name, value in values.items():
            if name not in columns and not ignore_unknown:
                return error(name, f"no such field: {name}.")
            like = LIKE.get(columns.get(name, {}).get("type"))
            if value is not None and like and not re.fullmatch(like, str(value)):
                return error(name, f"Cannot convert value to {columns[name]['type'].lower()}: {value}")
            if isinstance(value, (dict, list)):
                return error(name, "This field is not a record.")
        for name, column in columns.items():
            if column.get("mode") == "REQUIRED" and values.get(name) is None:
                return error(name, f"Missing required field: {name}.")
        return None

    def append(self, path, rows):
        file = self.file(path)
        file.parent.mkdir(parents=True, exist_ok=True)
        with open(file, "a") as lines:
            for row in rows:
                key, now = (path, row.get("insertId")), self.cloud.clock()
                if row.get("insertId") and now - self.recent.get(key, -REMEMBERED) < REMEMBERED:
                    continue
                self.recent[key] = now
                lines.write(json.dumps(row["json"]) + "\n")
