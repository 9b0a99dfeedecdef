#!/usr/bin/env python3
"""Checks Terraform's JSON against the schema of the providers: usage: provider_schema.py FOLDER...

A FOLDER is a group written by `slipway create`, whose *.tf.json files are one Terraform module. Every resource and data
source must have a known type, only known attributes, all required ones, and blocks and values in the right places. It may
refer only to resources of the group and to attributes that they have. The schema is in
tests/schemas/google_provider.json, written by scripts/provider_schema.py.
"""
import json, pathlib, re, sys

SCHEMA = pathlib.Path(__file__).resolve().parent.parent / "schemas/google_provider.json"
# Terraform's meta-arguments, valid for every resource.
META = {"count", "depends_on", "for_each", "lifecycle", "provider", "provisioner", "connection"}
# Slipway's functions, which Terraform does not have.
OURS = re.compile(r"(?<![\w.])(ghpc_stage|is_ipv4_range|is_null|is_set|matches|module_file|module_of)\(")
REFERENCE = re.compile(r"(?<![\w.\"/-])(data\.)?([a-z0-9]+_[a-z0-9_]+)\.([A-Za-z_][\w-]*)((?:\[[^\]]*\])*)(?:\.(\w+))?")


def parts(text):
    """Splits a string as Terraform does: (False, text) and (True, the inside of a ${…}); `$${` is an escape."""
    at = begin = 0
    while (at := text.find("${", at)) >= 0:
        dollars = len(text[:at + 1]) - len(text[:at + 1].rstrip("$"))
        if dollars % 2 == 0:
            at += 2
            continue
        depth, end = 1, at + 2
        while end < len(text) and depth > 0:
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        yield False, text[begin:at]
        yield True, text[at + 2:end - 1]
        at = begin = end
    yield False, text[begin:]


def expressions(text):
    """The inside of each ${…} in a string."""
    return [part for is_expression_, part in parts(text) if is_expression_]


def rendered(text, value):
    """The string with every expression replaced by a value."""
    return "".join(value if is_expression_ else part.replace("$${", "${").replace("%%{", "%{")
                   for is_expression_, part in parts(text))


def is_expression(value):
    """True for a value that is a single expression."""
    return isinstance(value, str) and value.startswith("${") and value.endswith("}")


def texts(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from texts(key)
            yield from texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from texts(item)


def fits(value, wanted):
    """Whether Terraform can convert a JSON value to a Terraform type."""
    if wanted == "any" or is_expression(value):
        return True
    if wanted.startswith("list("):
        return isinstance(value, list) and all(fits(item, wanted[5:-1]) for item in value)
    if wanted.startswith("map("):
        return isinstance(value, dict) and all(fits(item, wanted[4:-1]) for item in value.values())
    if isinstance(value, (list, dict)) or value is None:
        return False
    if wanted == "bool":
        return isinstance(value, bool) or value in ("true", "false")
    if wanted == "number":
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        return number or (isinstance(value, str) and re.fullmatch(r"-?\d+(\.\d+)?", value) is not None)
    return True  # every scalar is a string


def check_blocks(value, fact, place):
    blocks = value if isinstance(value, list) else [value]
    if not all(isinstance(block, dict) for block in blocks):
        yield f"{place}: a block is a mapping, or a list of mappings, but this is {json.dumps(value)[:60]}"
        return
    if fact["block"] == "one" and len(blocks) > 1:
        yield f"{place}: there is only one such block, but here are {len(blocks)}"
    if fact.get("required") and not blocks:
        yield f"{place}: there must be such a block"
    for i, block in enumerate(blocks):
        yield from check_attributes(block, fact["attributes"], f"{place}[{i}]" if len(blocks) > 1 else place)


def check_attributes(body, facts, place):
    for name, value in body.items():
        fact = facts.get(name)
        if fact is None:
            yield f"{place}: there is no attribute `{name}`"
        elif value is None:
            yield f"{place}.{name}: null is written"
        elif "block" in fact:
            yield from check_blocks(value, fact, f"{place}.{name}")
        elif not fits(value, fact["type"]):
            yield f"{place}.{name}: this is a {fact['type']}, but here is {json.dumps(value)[:60]}"
    for name, fact in facts.items():
        if fact.get("required") and name not in body:
            yield f"{place}: `{name}` is missing"


class Group:
    def __init__(self, schema, documents):
        self.providers = schema["providers"]
        self.documents = documents  # by file name
        self.declared = {}  # bodies by "data.TYPE.NAME" or "TYPE.NAME"
        for document in documents.values():
            for section, prefix in (("resource", ""), ("data", "data.")):
                for kind, named in document.get(section, {}).items():
                    for name, body in named.items():
                        self.declared[f"{prefix}{kind}.{name}"] = body

    def facts(self, reference, body):
        """The schema of a resource's type from its provider, or None."""
        kind = reference.rsplit(".", 1)[0]
        own = kind.removeprefix("data.").split("_")[0]
        return self.providers.get(body.get("provider", own).split(".")[0], {}).get(kind)

    def problems(self):
        for reference, body in self.declared.items():
            facts = self.facts(reference, body)
            if facts is None:
                yield f"{reference}: the provider has no such type"
                continue
            own = {name: value for name, value in body.items() if name not in META}
            yield from check_attributes(own, facts["attributes"], reference)
            for needed in body.get("depends_on", []):
                if needed not in self.declared and not needed.startswith("module."):
                    yield f"{reference}: depends on `{needed}`, which is not there"
        for name, document in self.documents.items():
            for text in texts(document):
                for expression in expressions(text):
                    for call in OURS.finditer(expression):
                        yield f"{name}: Terraform has no function {call.group(1)}()"
                    for match in REFERENCE.finditer(expression):
                        yield from self.check_reference(name, match)

    def check_reference(self, file, match):
        data, kind, name, _, attribute = match.groups()
        reference = f"{data or ''}{kind}.{name}"
        body = self.declared.get(reference)
        if body is None:
            yield f"{file}: there is no `{reference}`"
            return
        facts = self.facts(reference, body)
        if facts and attribute and attribute not in facts["attributes"] and attribute not in facts["computed"]:
            yield f"{file}: `{reference}` has no attribute `{attribute}`"


def problems_of(documents, schema=None):
    """The problems in the documents of a group, which are given by file name."""
    return list(Group(schema or json.loads(SCHEMA.read_text()), documents).problems())


def check_folder(folder):
    documents = {file.name: json.loads(file.read_text()) for file in sorted(pathlib.Path(folder).glob("*.tf.json"))}
    return problems_of(documents)


if __name__ == "__main__":
    found = [f"{folder}: {problem}" for folder in sys.argv[1:] for problem in check_folder(folder)]
    print(*found, sep="\n")
    sys.exit(1 if found else 0)
