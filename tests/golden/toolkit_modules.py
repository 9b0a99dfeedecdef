#!/usr/bin/env python3
"""Checks calls of Cluster Toolkit's own modules in Terraform's JSON: usage: toolkit_modules.py FOLDER...

A FOLDER is a group written by `slipway create`. Such a call names a version, sets only inputs that the module has in the
library's module.yaml and all required ones, in the form of their types, and does not wait if the module configures
providers. The group pins the module's providers. References to modules name outputs that they have.
"""
import functools, json, pathlib, re, sys

import yaml

from provider_schema import expressions, is_expression, texts

LIBRARY = pathlib.Path(__file__).resolve().parents[2] / "blueprints"
SOURCE = re.compile(r"//((?:community/)?modules/[\w/-]+)\?ref=v\d+\.\d+\.\d+(?:&depth=1)?$")
META = {"source", "depends_on", "version", "providers"}
OUTPUT = re.compile(r"(?<![\w.\"/-])module\.([\w-]+)\.([\w-]+)")
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@functools.cache
def interface(path):
    return yaml.load((LIBRARY / path / "module.yaml").read_text(), LOADER)


def fits(value, wanted):
    """Whether a JSON value has the form of a Terraform type, as far as its first word says."""
    if value is None or is_expression(value) or wanted == "any":
        return True
    if re.match(r"list|set|tuple", wanted):
        return isinstance(value, list)
    if re.match(r"map|object", wanted):
        return isinstance(value, dict)
    return not isinstance(value, (list, dict))


def call_problems(name, call, providers, is_whole):
    """`is_whole`: a module of the blueprint is this call; otherwise one calls it beside its resources."""
    module = interface(SOURCE.search(call["source"])[1])
    facts = module.get("toolkit_module") or (module.get("toolkit_instead") if is_whole else None)
    if facts is None and is_whole:
        yield f"module.{name}: the library has resources for it"
        return
    facts = facts or {"configures_providers": True}
    inputs = module["inputs"]
    for key in call.keys() - META:
        if key not in inputs or "gone" in inputs[key] or key in facts.get("ours", []):
            yield f"module.{name}: there is no input `{key}`"
        elif not fits(call[key], inputs[key]["type"]):
            yield f"module.{name}.{key}: this is a {inputs[key]['type']}, but here is {json.dumps(call[key])[:60]}"
    for key, fact in inputs.items():
        if "default" not in fact and call.get(key) is None:
            yield f"module.{name}: `{key}` is missing"
    if facts.get("configures_providers") and "depends_on" in call:
        yield f"module.{name}: it configures providers, so it cannot have `depends_on`"
    for provider in set(facts.get("providers", [])) - providers.keys():
        yield f"module.{name}: the group does not require the provider `{provider}`"


def problems(documents):
    """The problems in the documents of a group, which are given by file name."""
    calls = {name: call for document in documents.values() for name, call in document.get("module", {}).items()}
    providers = documents.get("versions.tf.json", {}).get("terraform", {}).get("required_providers", {})
    theirs = {name: interface(found[1]) for name, call in calls.items() if (found := SOURCE.search(call["source"]))}
    for name in theirs:
        yield from call_problems(name, calls[name], providers, f"{name}.tf.json" in documents)
    for file, document in documents.items():
        for text in (part for whole in texts(document) for part in expressions(whole)):
            for name, output in OUTPUT.findall(text):
                if name not in calls:
                    yield f"{file}: there is no `module.{name}`"
                elif name in theirs and output not in theirs[name]["outputs"]:
                    yield f"{file}: `module.{name}` has no output `{output}`"


def check_calls(folder):
    return list(problems({file.name: json.loads(file.read_text()) for file in sorted(pathlib.Path(folder).glob("*.tf.json"))}))


if __name__ == "__main__":
    found = [f"{folder}: {problem}" for folder in sys.argv[1:] for problem in check_calls(folder)]
    for line in found:
        print(line)
    sys.exit(1 if found else 0)
