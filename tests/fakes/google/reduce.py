#!/usr/bin/env python3
"""Reduces Google's own descriptions of its services to what the stand-in checks requests against: reduce.py PACKAGES

PACKAGES is a folder with unpacked npm packages (`npm pack NAME`), each in a folder with its name without the scope; the
tables are written to api/. wanted.json lists the packages, and the methods that the stand-in answers. A table has

    source     the package with its version, and the file in it
    host       of the service
    methods    by "resource.method": verb, path with {parameters} ({+name}: with slashes; {name=PATTERN}), the type of each
               query parameter, of the body and of the answer
    messages   by name: the type of each field
    required   fields that the service calls required, by message

A type is a name ("string", "bool", "int32", …, "any", or a message), a list with a type, {"map": type} or {"enum": values}. An enum
of which the package lists no value is a string: the service has values that the package does not know.
"""
import json, pathlib, re, sys

HERE = pathlib.Path(__file__).resolve().parent
PLAIN = {"google.protobuf.Timestamp": "string", "google.protobuf.Duration": "string", "google.protobuf.FieldMask": "string",
         "google.protobuf.BoolValue": "bool", "google.protobuf.Int64Value": "int64", "google.protobuf.Int32Value": "int32",
         "google.protobuf.DoubleValue": "double", "google.protobuf.FloatValue": "float", "google.protobuf.Struct": "any",
         "google.protobuf.Any": "any", "google.protobuf.Empty": "any", "google.protobuf.Value": "any"}
SCALARS = {"string", "bool", "bytes", "double", "float", "int32", "int64", "uint32", "uint64", "fixed64", "any"}


def lower(name):
    return name[:1].lower() + name[1:]


class Protos:
    """A service in a file protos.json, as Google's own clients for Node.js carry it."""

    def __init__(self, file, package):
        self.root = json.loads(file.read_text())
        self.package = package.split(".")
        self.messages, self.required = {}, {}

    def find(self, name, scope):
        """The definition that a name means in a scope, and its own scope."""
        for depth in range(len(scope), -1, -1):
            at, path = self.root, scope[:depth] + name.split(".")
            for part in path:
                at = at.get("nested", {}).get(part)
                if at is None:
                    break
            else:
                return at, path
        raise KeyError(name)

    def type_of(self, field, scope, owner, name):
        kind = field["type"]
        if kind not in SCALARS:
            kind = self.named(kind, scope)
        elif kind == "string":
            # Compute describes an enum beside the field, and calls the field a string.
            values = owner.get("nested", {}).get(name[:1].upper() + name[1:], {}).get("values")
            kind = self.enum(values) if values else kind
        if "keyType" in field:
            return {"map": kind}
        return [kind] if field.get("rule") == "repeated" else kind

    @staticmethod
    def enum(values):
        # Where the package knows no value, the service still has some.
        return {"enum": known} if (known := sorted(value for value in values if not value.startswith("UNDEFINED_"))) else "string"

    def named(self, name, scope):
        if name in PLAIN:
            return PLAIN[name]
        found, path = self.find(name, scope)
        full = ".".join(path)
        if full in PLAIN:
            return PLAIN[full]
        if "values" in found:
            return self.enum(found["values"])
        short = ".".join(path[len(self.package):] if path[:len(self.package)] == self.package else path[-1:])
        if short not in self.messages:
            self.messages[short] = {}
            for key, field in found["fields"].items():
                self.messages[short][key] = self.type_of(field, path, found, key)
                if "REQUIRED" in str(field.get("options", {}).get("(google.api.field_behavior)", "")):
                    self.required.setdefault(short, []).append(key)
        return short

    def method(self, service, name):
        """The method as methods have it; more than one if it has several paths."""
        found = self.find(".".join(self.package + [service]), [])[0]["methods"][name]
        request, scope = self.find(found["requestType"], self.package)
        http = next(option["(google.api.http)"] for option in found["parsedOptions"] if "(google.api.http)" in option)
        bindings = [http] + (http["additional_bindings"] if isinstance(http.get("additional_bindings"), list) else
                             [http["additional_bindings"]] if "additional_bindings" in http else [])
        for binding in bindings:
            verb = next(key for key in ("get", "post", "put", "patch", "delete") if key in binding)
            path = binding[verb]
            body = binding.get("body", "")
            fields = {key: self.type_of(field, scope, request, key) for key, field in request["fields"].items()}
            camel = re.sub(r"_(\w)", lambda letter: letter[1].upper(), body)
            in_path = re.findall(r"\{([\w.]+)", path)
            taken = {re.sub(r"_(\w)", lambda letter: letter[1].upper(), one.split(".")[0]) for one in in_path} | {camel}
            whole = {key: kind for key, kind in fields.items() if key not in taken}
            made = {"verb": verb.upper(), "path": path, "query": {} if body == "*" else whole,
                    "body": fields[camel] if camel in fields else self.whole(request, whole, found) if body == "*" else None,
                    "answer": self.named(found["responseType"], self.package)}
            yield made

    def whole(self, request, fields, found):
        name = found["requestType"].split(".")[-1]
        self.messages[name] = fields
        return name


class Discovery:
    """A service in the TypeScript interfaces that are generated from its discovery document. They do not name the values of
    enums."""

    def __init__(self, file, package):
        self.types, self.code = file.with_suffix(".d.ts").read_text(), file.with_suffix(".js").read_text()
        self.messages, self.required = {}, {}

    def fields_of(self, interface):
        body = re.search(rf"export interface {re.escape(interface)} .*?\{{\n(.*?)\n    \}}\n", self.types, re.S)[1]
        body = re.sub(r"/\*\*.*?\*/", "", body, flags=re.S)
        return {key.strip("'"): kind for key, kind in re.findall(r"^        ('?[\w.$-]+'?)\?: (.*?);\n(?=\s*(?:\n|'?[\w.$-]+'?\?:|$))",
                                                                  body + "\n", re.S | re.M)}

    def type_of(self, text):
        text = text.replace(" | null", "").strip()
        if text.endswith("[]"):
            return [self.type_of(text[:-2])]
        if mapped := re.match(r"\{\s*\[key: string\]: (.*?);\s*\}$", text, re.S):
            return {"map": self.type_of(mapped[1])}
        if text.startswith("Schema$"):
            return self.named(text[7:])
        return {"string": "string", "boolean": "bool", "number": "double", "any": "any"}.get(text, "any")

    def named(self, name):
        if name not in self.messages:
            self.messages[name] = {}
            for key, kind in self.fields_of(f"Schema${name}").items():
                self.messages[name][key] = self.type_of(kind)
        return name

    def method(self, resource, name):
        code = re.search(rf"class Resource\${re.escape(resource)} \{{(.*?\n)    \}}\n", self.code, re.S)[1]
        code = re.search(rf"\n        {name}\(params(.*?)\n        \}}\n", code, re.S)[1]
        path = re.search(r"url: \(rootUrl \+\s*'([^']*)'\)", code)[1]
        inside = re.search(r"pathParams: \[(.*?)\]", code, re.S)[1]
        params = self.fields_of(f"Params$Resource${resource}${name.capitalize()}")
        body = params.pop("requestBody", None)
        params.pop("media", None)
        answer = re.search(rf"\b{name}\(params\?: Params\$Resource\${re.escape(resource)}\$\w+, options\?: MethodOptions\): "
                           r"Promise<GaxiosResponseWithHTTP2<(.*?)>>;", self.types)[1]
        yield {"verb": re.search(r"method: '(\w+)'", code)[1], "path": path,
               "query": {key: self.type_of(kind) for key, kind in params.items() if f"'{key}'" not in inside},
               "body": self.type_of(body) if body else None,
               "answer": self.type_of(answer) if answer.startswith("Schema$") else "any"}


def reduced(packages, wanted):
    folder = packages / wanted["package"].split("/")[-1]
    source = folder / wanted["file"]
    reader = (Protos if source.suffix == ".json" else Discovery)(source, wanted.get("messages", ""))
    methods = {}
    for resource, names in wanted["methods"].items():
        for name in names:
            public = f"{lower(resource) if source.suffix == '.json' else resource}.{lower(name)}"
            for number, method in enumerate(reader.method(resource, name)):
                methods[public + (f"#{number + 1}" if number else "")] = method
    version = json.loads((folder / "package.json").read_text())["version"]
    return {"source": {"package": wanted["package"], "version": version, "file": wanted["file"], "fetched": wanted["fetched"]},
            "host": wanted["host"], "methods": methods, "messages": dict(sorted(reader.messages.items())),
            "required": dict(sorted(reader.required.items()))}


def text_of(table):
    """A method or message is one line."""
    parts = []
    for key, value in table.items():
        if key in ("methods", "messages", "required"):
            rows = ",\n".join(f"    {json.dumps(name)}: {json.dumps(row)}" for name, row in value.items())
            parts.append(f"  {json.dumps(key)}: {{\n{rows}\n  }}" if rows else f"  {json.dumps(key)}: {{}}")
        else:
            parts.append(f"  {json.dumps(key)}: {json.dumps(value)}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: reduce.py PACKAGES")
    for name, wanted in json.loads((HERE / "wanted.json").read_text()).items():
        (HERE / "api" / f"{name}.json").write_text(text_of(reduced(pathlib.Path(sys.argv[1]), wanted)))


if __name__ == "__main__":
    main()
