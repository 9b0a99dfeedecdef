#!/usr/bin/env python3
"""Checks a JSON document against a JSON Schema (draft 2020-12).

    validate.py SCHEMA DOCUMENT...

A DOCUMENT whose name ends in .jsonl holds one document a line; `-` is stdin. What is wrong is said
a line each on stderr, with the place in the document; exit status 1 then, 2 for a bad command line
or a schema that is none.
"""
import json
import sys

import jsonschema


def documents(path):
    text = sys.stdin.read() if path == "-" else open(path, encoding="utf-8").read()
    if not path.endswith(".jsonl"):
        return [(path, text)]
    lines = text.splitlines()
    return [(f"{path}:{number}", line) for number, line in enumerate(lines, 1)]


def complaints(validator, text):
    try:
        document = json.loads(text)
    except json.JSONDecodeError as error:
        return [f"not JSON: {error}"]
    found = sorted(validator.iter_errors(document), key=lambda error: error.json_path)
    return [f"{error.json_path}: {error.message}" for error in found]


def main(arguments):
    if len(arguments) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    with open(arguments[0], encoding="utf-8") as file:
        schema = json.load(file)
    try:
        jsonschema.Draft202012Validator.check_schema(schema)
    except jsonschema.SchemaError as error:
        print(f"{arguments[0]}: not a schema: {error.message}", file=sys.stderr)
        return 2
    validator = jsonschema.Draft202012Validator(schema)
    bad = False
    for path in arguments[1:]:
        for name, text in documents(path):
            for complaint in complaints(validator, text):
                print(f"{name}: {complaint}", file=sys.stderr)
                bad = True
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
