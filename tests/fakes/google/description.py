"""What Google's services say about themselves: which method a request calls, and whether its fields exist.

The tables in api/ are made by reduce.py, except api/lustre.json.
"""
import dataclasses, json, pathlib, re

from errors import Refusal

HERE = pathlib.Path(__file__).resolve().parent
# Parameters of every method: https://docs.cloud.google.com/apis/docs/system-parameters
ALWAYS = {"alt", "fields", "key", "prettyPrint", "quotaUser", "userIp", "access_token", "$alt", "$fields", "$prettyPrint", "uploadType",
          "upload_id", "name"}
RANGES = {"int32": (-2**31, 2**31 - 1), "uint32": (0, 2**32 - 1), "int64": (-2**63, 2**63 - 1), "uint64": (0, 2**64 - 1),
          "fixed64": (0, 2**64 - 1)}


@dataclasses.dataclass
class Method:
    service: str  # the table's name: "compute"
    name: str  # "instances.bulkInsert"
    verb: str
    pattern: re.Pattern
    query: dict
    body: object
    answer: object
    literals: int  # letters of the path outside its parameters; the longer one wins


def pattern_of(path):
    """The regular expression of a path with {parameters}."""
    expression = ""
    for literal, name, like in re.findall(r"([^{]*)(?:\{(\+?[\w.]+)(?:=([^}]*))?\})?", path):
        expression += re.escape(literal)
        if name:
            inside = re.escape(like).replace(r"\*\*", ".+").replace(r"\*", "[^/:]+") if like else "[^:]+" if name[0] == "+" else "[^/:]+"
            expression += f"(?P<{name.lstrip('+').replace('.', '__')}>{inside})"
    return re.compile(expression)


class Description:
    def __init__(self, folder=HERE / "api"):
        self.tables, self.methods = {}, []
        for file in sorted(folder.glob("*.json")):
            table = self.tables[file.stem] = json.loads(file.read_text())
            for name, method in table["methods"].items():
                path = method["path"]
                if file.stem == "compute-beta":
                    path = path.replace("/compute/v1beta/", "/compute/beta/")
                self.methods.append((table["host"], Method(
                    file.stem, name.split("#")[0], method["verb"], pattern_of(path), method["query"], method["body"], method["answer"],
                    len(re.sub(r"\{[^}]*\}", "", path)))))
        self.methods.sort(key=lambda row: -row[1].literals)

    def hosts(self):
        return sorted({table["host"] for table in self.tables.values()})

    def find(self, host, verb, path):
        """The method, and the parameters in its path."""
        for its_host, method in self.methods:
            if its_host == host and method.verb == verb:
                found = method.pattern.fullmatch(path)
                if found:
                    return method, {key.replace("__", "."): value for key, value in found.groupdict().items()}
        raise Refusal(404, f"The requested URL {path} was not found on this server, as {verb}, or the stand-in does not support it.")

    def check(self, method, query, body):
        """Throws Refusal for an unknown parameter or field, and a value of another type."""
        for name, text in query.items():
            kind = method.query.get(name)
            if kind is None and name not in ALWAYS:
                raise Refusal(400, f'Invalid JSON payload received. Unknown name "{name}": Cannot bind query parameter. Field '
                              f"'{name}' could not be found in request message.", "badRequest")
            if isinstance(kind, list):
                continue  # may be there several times; its values are text
            if isinstance(text, list):
                raise Refusal(400, f"Invalid value at '{name}': it is there several times.", "badRequest")
            if kind in RANGES and not re.fullmatch(r"-?\d+", text):
                raise wrong(name, kind, text)
        if method.body is None:
            if body not in (None, {}):
                raise Refusal(400, "Invalid JSON payload received. The request has no body.", "badRequest")
        elif body is not None:
            table = self.tables[method.service]
            self.check_value(table, method.body, body, "resource" if method.service == "compute" else "")
            self.make_numbers(table, method.body, body)

    def make_numbers(self, table, kind, value):
        """Numbers of 32 bits may be sent as text, but are kept and answered as numbers."""
        if isinstance(kind, list) and isinstance(value, list):
            for one in value:
                self.make_numbers(table, kind[0], one)
        if not isinstance(value, dict):
            return
        fields = table["messages"].get(kind, {}) if isinstance(kind, str) else {}
        for key, one in value.items():
            inside = kind.get("map") if isinstance(kind, dict) else fields.get(key)
            if inside in ("int32", "uint32") and isinstance(one, str):
                value[key] = int(one)
            else:
                self.make_numbers(table, inside, one)

    def check_value(self, table, kind, value, at):
        if value is None or kind == "any":
            return
        if isinstance(kind, list):
            if not isinstance(value, list):
                raise wrong(at, "a list", value)
            for number, one in enumerate(value):
                self.check_value(table, kind[0], one, f"{at}[{number}]")
        elif isinstance(kind, dict) and "enum" in kind:
            if value not in kind["enum"]:
                raise wrong(at, "one of " + ", ".join(kind["enum"]), value)
        elif isinstance(kind, dict):
            self.check_map(table, kind["map"], value, at)
        elif kind in table["messages"]:
            self.check_message(table, kind, value, at)
        elif not is_scalar(kind, value):
            raise wrong(at, kind, value)

    def check_map(self, table, kind, value, at):
        if not isinstance(value, dict):
            raise wrong(at, "an object", value)
        for key, one in value.items():
            self.check_value(table, kind, one, f"{at}.{key}")

    def check_message(self, table, kind, value, at):
        if not isinstance(value, dict):
            raise wrong(at, "an object", value)
        fields = table["messages"][kind]
        for key, one in value.items():
            if key not in fields:
                where = f" at '{at}'" if at else ""
                raise Refusal(400, f'Invalid JSON payload received. Unknown name "{key}"{where}: Cannot find field.', "badRequest")
            self.check_value(table, fields[key], one, f"{at}.{key}" if at else key)
        for key in table["required"].get(kind, []):
            if value.get(key) in (None, "", [], {}):
                raise Refusal(400, f"Invalid value for field '{at}.{key}': ''. Required field cannot be empty.", "required")


def is_scalar(kind, value):
    if kind in ("string", "bytes"):
        return isinstance(value, str)
    if kind == "bool":
        return isinstance(value, bool)
    if isinstance(value, bool):
        return False
    if kind in ("double", "float"):
        return isinstance(value, (int, float)) or isinstance(value, str) and re.fullmatch(r"-?[\d.eE+-]+", value) is not None
    if kind in RANGES:
        if isinstance(value, str) and not re.fullmatch(r"-?\d+", value):
            return False
        low, high = RANGES[kind]
        return isinstance(value, (int, str)) and low <= int(value) <= high
    return True


def wrong(at, expected, value):
    return Refusal(400, f"Invalid value at '{at}' ({expected}), {value!r}", "invalid")
