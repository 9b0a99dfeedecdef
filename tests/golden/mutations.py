#!/usr/bin/env python3
"""Makes one mistake at a time in right blueprints: mutations.py SLIPWAY [SEED [MISTAKES_OF_A_KIND]]

Each has to be refused, at the line that has it. The kinds are what people do: slips in names, values of another type, wrong
indentation, colons, dashes, quotes and brackets, spaces of other kinds. The same seed makes the same mistakes.
"""
import collections, json, pathlib, random, re, shutil, subprocess, sys, tempfile

import yaml

sys.dont_write_bytecode = True  # keep the source tree clean
from run import HERE, installed

BLUEPRINTS = ["apps", "batch", "file-systems", "gke", "gke-jobs", "machines", "networks", "services", "slurm", "slurm-settings"]
VALUES = {"number": ["twelve", "[1]", "{a: 1}", "12GB"], "bool": ["maybe", "[true]", "3", "{a: true}"], "string": ["[a, b]", "{a: b}"],
          "list": ["text", "5"], "set": ["text", "5"], "map": ["text", "[a]"]}


def slip(rng, word):
    """Another word, one letter away; shorter words have too many neighbors that are right, too."""
    at = rng.choice([i for i, c in enumerate(word) if c.isalpha()][1:])
    return rng.choice([word[:at] + word[at + 1:], word[:at] + word[at] + word[at:], word[:at] + "q" + word[at + 1:]])


def nodes(node, path=()):
    """Each key and each scalar value: (path, node, value of the key or None)."""
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            yield path + (key.value,), key, value
            yield from nodes(value, path + (key.value,))
    elif isinstance(node, yaml.SequenceNode):
        for i, item in enumerate(node.value):
            yield from nodes(item, path + (i,))
    else:
        yield path, node, None


def with_value(text, node, new):
    quote = node.style or ""
    return text[:node.start_mark.index] + quote + new + quote + text[node.end_mark.index:]


def in_names(text, rng, types):
    """(kind, changed text, line) of names, types and references."""
    modules = {(g, m): module for g, group in enumerate(yaml.safe_load(text)["deployment_groups"])
               for m, module in enumerate(group["modules"])}
    for path, node, value in nodes(yaml.compose(text)):
        if node.style in ("|", ">") or node.start_mark.line != node.end_mark.line:
            continue
        change = lambda kind, new: (kind, with_value(text, node, new), node.start_mark.line)
        module = modules.get((path[1], path[3])) if len(path) > 4 and path[0] == "deployment_groups" else None
        is_long = len(node.value) > 4
        if value is not None and is_long and module and path[4:] == ("settings", path[-1]):
            yield change("a setting's name", slip(rng, node.value))
            kind = re.match(r"\w+", types.get(module["source"], {}).get(node.value, "any"))[0]
            written = text[value.start_mark.index:value.end_mark.index]
            if kind in VALUES and value.start_mark.line == value.end_mark.line == node.start_mark.line and written.strip():
                new = rng.choice(VALUES[kind])
                yield f"no {kind}", text[:value.start_mark.index] + new + text[value.end_mark.index:], node.start_mark.line
        elif value is not None and is_long and module and len(path) == 5:
            yield change("a module's key", slip(rng, node.value))
        elif value is None and path[-1] == "source" and module:
            yield change("a source", slip(rng, node.value))
        elif value is None and module and path[4] == "use" and is_long:
            yield change("a name in use", slip(rng, node.value))
            yield change("use of itself", module["id"])
        elif value is None and module and path[-1] == "id" and len(path) == 5:
            yield change("an id with a space", node.value + " x")
        if value is None:
            written = text[node.start_mark.index:node.end_mark.index]
            for found in re.finditer(r"\$\((\w[\w-]*)\.(\w{5,})[^()]*(\))", written):
                begin, end = (node.start_mark.index + at for at in found.span(2))
                yield "a name in an expression", text[:begin] + slip(rng, found[2]) + text[end:], node.start_mark.line
                close = node.start_mark.index + found.start(3)
                yield "an expression's end", text[:close] + text[close + 1:], node.start_mark.line


def in_lines(text):
    """(kind, changed text, line) of indentation and punctuation."""
    blocks = {line for _, node, value in nodes(yaml.compose(text)) for each in (node, value)
              if getattr(each, "style", None) in ("|", ">") for line in range(each.start_mark.line + 1, each.end_mark.line)}
    lines = text.split("\n")
    for number, line in enumerate(lines):
        if number in blocks or not line.strip() or line.strip().startswith("#"):
            continue
        change = lambda kind, new: (kind, "\n".join(lines[:number] + [new] + lines[number + 1:]), number)
        if line.startswith(" "):
            yield change("a tab", "\t" + line.lstrip())
            yield change("a no-break space before", "\u00a0" + line[1:])
        if re.match(r" *(- )?\w+: \S", line):
            yield change("no colon", line.replace(": ", " ", 1))
            yield change("a colon without a space", line.replace(": ", ":", 1))
            yield change("a no-break space after", line.replace(": ", ":\u00a0", 1))
        if re.match(r" *- \w+: ", line) and number + 1 < len(lines) and lines[number + 1].startswith(line[:line.index("-")] + "  "):
            yield change("a dash without a space", line.replace("- ", "-", 1))
        if re.match(r"[^#\"']*: [a-z][^#\"']*$", line):
            yield change("a quote before", line.replace(": ", ': "', 1))
            yield change("a quote after", line + '"')
            yield change("quotes of a word processor", re.sub(": (.*)$", ": \u201c\\1\u201d", line, count=1))
        for bracket in "]}":
            if line.endswith(bracket):
                yield change("a bracket", line[:-1])


def types_of(slipway, sources):
    types = {}
    for source in sources:
        done = subprocess.run([slipway, "modules", source, "--json"], capture_output=True)
        if done.returncode == 0:
            types[source] = {one["name"]: one["type"] for one in json.loads(done.stdout)["inputs"]}
    return types


def problem(slipway, folder, text, line):
    (folder / "changed.yaml").write_text(text)
    done = subprocess.run([slipway, "check", "changed.yaml", "--diagnostics=json"], cwd=folder, capture_output=True, timeout=60)
    if done.returncode != 1:
        return f"exit status {done.returncode}"
    found = json.loads(done.stderr.splitlines()[-1])["diagnostics"]
    places = [place for one in found for place in (one["place"], *(other["place"] for other in one["others"])) if place]
    lines = [place["line"] for place in places if place["file"] == "changed.yaml"]
    return "" if line + 1 in lines else f"line {line + 1} is wrong, reported are {lines}: {found[0]['message']}"


def main():
    seed, most = (int(word) for word in (*sys.argv[2:4], *("1", "5")[len(sys.argv[2:4]):]))
    rng = random.Random(seed)
    failed = count = 0
    with tempfile.TemporaryDirectory() as scratch:
        slipway = installed(sys.argv[1], pathlib.Path(scratch) / "prefix")
        folder = pathlib.Path(scratch) / "create"
        shutil.copytree(HERE / "create", folder)
        kinds = collections.defaultdict(list)
        for name in BLUEPRINTS:
            text = (folder / f"ok-{name}.yaml").read_text()
            types = types_of(slipway, {module["source"] for group in yaml.safe_load(text)["deployment_groups"] for module in group["modules"]})
            for kind, changed, line in (*in_names(text, rng, types), *in_lines(text)):
                kinds[kind].append((name, changed, line))
        for kind in sorted(kinds):
            for name, changed, line in rng.sample(kinds[kind], min(most, len(kinds[kind]))):
                count += 1
                if found := problem(slipway, folder, changed, line):
                    failed += 1
                    print(f"FAIL {kind} in ok-{name}.yaml: {found}\n  {changed.splitlines()[line]}")
    print(f"{count} mistakes of {len(kinds)} kinds, {failed} not refused where they are")
    return 1 if failed or not count else 0


if __name__ == "__main__":
    sys.exit(main())
