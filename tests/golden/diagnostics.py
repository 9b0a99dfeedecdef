#!/usr/bin/env python3
"""Checks `--diagnostics json` for every golden case: usage: diagnostics.py SLIPWAY

The line must match docs/schemas/diagnostics-1.schema.json and agree with the text output, and its lines, columns and byte
offsets must give the same place. The schema must reject wrong documents.
"""
import copy, json, pathlib, re, shlex, subprocess, sys, tempfile

import jsonschema

sys.dont_write_bytecode = True  # keep the source tree clean
from run import HERE, ROOT, installed

SCHEMA = json.loads((ROOT / "docs/schemas/diagnostics-1.schema.json").read_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


def stderr_of(slipway, folder, words, *more):
    """The command's output; nothing if the command line is wrong, since then it reads no blueprint."""
    done = subprocess.run([slipway, *words, *more], cwd=folder, capture_output=True, timeout=60)
    return b"" if done.returncode == 2 else done.stderr


def known_text(case, prefix):
    """The messages of `check` that the case expects (golden, blueprints compares them); None if it runs another command."""
    expected = re.match(r"\$ slipway check \S+\n(?:--- stderr\n(.*?))?(?:--- stdout\n.*?)?--- exit status \d\n",
                        case.with_suffix(".out").read_text(), re.S)
    return None if expected is None else (expected[1] or "").replace("PREFIX", str(prefix))


def heads(document):
    """The message and the first place of each diagnostic in the document."""
    for one in document["diagnostics"]:
        place = one["place"]
        yield (f"{one['severity']}[{one['code']}]: {one['message']}",
               f"{place['file']}:{place['line']}:{place['column']}" if place else "")


def heads_of_text(text):
    # `check` also says what Terraform will download.
    for block in re.sub(r"^on Google Cloud: .*\n?", "", text, flags=re.M).strip("\n").split("\n\n"):
        if not block:
            continue
        first, *rest = block.splitlines()
        arrow = re.match(r" *--> (.*)", rest[0]) if rest else None
        yield first, arrow.group(1) if arrow else ""


def wrong_place(folder, place):
    """Places whose bytes differ from their lines and columns."""
    path = folder / place["file"]
    if not path.is_file():
        return ""
    data = path.read_bytes()
    for which, line, column in (("begin_byte", "line", "column"), ("end_byte", "end_line", "end_column")):
        before = data[:place[which]].decode(errors="replace").split("\n")
        if (len(before), len(before[-1]) + 1) != (place[line], place[column]):
            return f"{which} {place[which]} is not {place[line]}:{place[column]}"
    return ""


def problems(slipway, case):
    command = re.search(r"^# run: slipway \w+ (.*)$", case.read_text(), re.M).group(1)
    words = [word.replace("{}", case.name) for word in shlex.split(command)]
    words = ["check", *(word for word in words if not word.startswith("--diagnostics"))]
    words = [word for i, word in enumerate(words) if "--format" not in (word, words[i - 1])]
    text = known_text(case, slipway.parent.parent)
    if text is None:
        text = stderr_of(slipway, case.parent, words).decode()
    line = stderr_of(slipway, case.parent, words, "--diagnostics=json")
    if not line and not text:
        return []
    if line.count(b"\n") != 1:
        return ["this is not one line of JSON"]
    document = json.loads(line)
    found = [f"{error.json_path}: {error.message}" for error in VALIDATOR.iter_errors(document)]
    if not found and list(heads(document)) != (list(heads_of_text(text)) if text else []):
        found.append("the JSON says something else than the text")
    places = [one["place"] for one in document["diagnostics"]]
    places += [other["place"] for one in document["diagnostics"] for other in one["others"]]
    return found + [problem for problem in (wrong_place(case.parent, place) for place in places if place) if problem]


def accepted_mistakes(slipway):
    """Changes to a valid document that the schema should reject but accepts."""
    good = json.loads(stderr_of(slipway, HERE / "blueprint", ["check", "fail-later-group.yaml", "--diagnostics=json"]))
    mistakes = {
        "no count": lambda d: d.pop("errors"),
        "another version": lambda d: d.update(schema="slipway/diagnostics/2"),
        "a code of three digits": lambda d: d["diagnostics"][0].update(code="E020"),
        "an unknown severity": lambda d: d["diagnostics"][0].update(severity="note"),
        "no place": lambda d: d["diagnostics"][0].pop("place"),
        "line 0": lambda d: d["diagnostics"][0]["place"].update(line=0),
        "a label without a place": lambda d: d["diagnostics"][0]["others"][0].pop("place"),
        "a key that is unknown": lambda d: d["diagnostics"][0].update(note=""),
    }
    for name, change in mistakes.items():
        wrong = copy.deepcopy(good)
        change(wrong)
        if VALIDATOR.is_valid(wrong):
            yield f"the schema accepts {name}"


def main():
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        slipway = installed(sys.argv[1], pathlib.Path(folder) / "prefix")
        cases = sorted(c for folder in ("blueprint", "mistakes") for c in (HERE / folder).glob("*.yaml")
                       if re.match("ok-|fail-", c.name))
        for name, found in [*((case.stem, problems(slipway, case)) for case in cases),
                            ("schema", list(accepted_mistakes(slipway)))]:
            failed += bool(found)
            for problem in found:
                print(f"FAIL {name}: {problem}")
    print(f"{len(cases) + 1} cases, {failed} failed")
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
