#!/usr/bin/env python3
"""Writes the words that Google's Terraform provider takes as values: provider_words.py JSII... > blueprints/catalogue/words.yaml

A JSII is the file `.jsii` from the npm packages @cdktf/provider-google and @cdktf/provider-google-beta. Only resources of
the module library are kept, and only attributes whose description has the list that the provider itself compares a
value with ("Possible values: [...]"); lists in other words are examples, or incomplete.

Run this again when a module uses a new type, or when the provider takes more values.
"""
import re, sys

sys.dont_write_bytecode = True  # keep the source tree clean
from provider_schema import Package, documented_name, types_in_use

HEAD = """# Words that Google's Terraform provider takes as values of resources, as `values` of values.yaml: the provider refuses
# others when Terraform plans. Written by scripts/provider_words.py from {source}.
#
#   TYPE.ATTRIBUTE or TYPE.BLOCK.ATTRIBUTE: its words
"""


def words(member):
    """The words in a member's description, or none."""
    docs = member.get("docs", {})
    text = " ".join((docs.get("summary", ""), docs.get("remarks", "")))
    lists = re.findall(r"Possible values: \[([^\]]*)\]", text.replace("\\", ""))
    return re.findall(r'"([^"]*)"', lists[0]) if len(set(lists)) == 1 else []


def struct_of(package, written):
    """The class of a block, or nothing for a plain value."""
    if "union" in written:
        return struct_of(package, next(t for t in written["union"]["types"] if t.get("fqn") != "cdktf.IResolvable"))
    if "collection" in written:
        return struct_of(package, written["collection"]["elementtype"])
    return package.types.get(written.get("fqn"))


def found(package, struct, path):
    """Yields (attribute, words) for each attribute with words in a class."""
    for member in struct.get("properties", []):
        name = f"{path}.{documented_name(member)}"
        block = struct_of(package, member["type"])
        if block is not None:
            yield from found(package, block, name)
        elif words(member):
            yield name, words(member)


def main():
    wanted = set.union(*types_in_use().values())
    known, sources = {}, []
    for path in sys.argv[1:]:
        package = Package(path)
        sources.append(f"{package.name} (provider version {package.version})")
        for kind, fqn in package.resources():
            if kind in wanted and kind.startswith("google_"):
                for name, taken in found(package, package.types[fqn + "Config"], kind):
                    old = known.setdefault(name, [])
                    old += [word for word in taken if word not in old]
    print(HEAD.format(source=" and\n# ".join(sources)))
    for name, taken in sorted(known.items()):
        print(f"{name}: [{', '.join(word if re.fullmatch('[A-Za-z][A-Za-z0-9_-]*', word) else repr(word) for word in taken)}]")


if __name__ == "__main__":
    main()
