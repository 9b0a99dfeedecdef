#!/usr/bin/env python3
"""Compares docs/reference with what the programs say about themselves.

usage: reference.py SLIPWAY PERF PROGRAM... PLUGINS     as for scripts/reference.py

SLIPWAY_ACCEPT=1 rewrites the pages; it is refused when CI is set.
"""
import difflib, json, os, pathlib, re, shutil, subprocess, sys, tempfile

import jsonschema

sys.dont_write_bytecode = True  # not into the source tree
from run import ROOT, installed

sys.path.insert(0, str(ROOT / "scripts"))
import reference

PAGES = ROOT / "docs/reference"
# Pages in the same folder that a person writes.
FOLDERS = ("commands", "modules")


def page_problems(programs, accept):
    """Pages that differ from what the programs print, and pages that nothing makes."""
    pages = reference.markdown_pages(programs)
    for folder in FOLDERS:
        for file in (PAGES / folder).glob("*.md"):
            if f"{folder}/{file.name}" not in pages:
                if accept:
                    file.unlink()
                else:
                    yield f"{folder}/{file.name}: nothing makes this page"
    for name, text in pages.items():
        file = PAGES / name
        old = file.read_text() if file.is_file() else ""
        if accept:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        elif old != text:
            diff = difflib.unified_diff(old.splitlines(), text.splitlines(), "the page", "the programs", lineterm="", n=1)
            yield f"{name} differs:\n" + "\n".join(list(diff)[:20])


def link_problems():
    """Links of generated pages that lead nowhere."""
    for folder in ("", *FOLDERS):
        for file in (PAGES / folder).glob("*.md"):
            if not file.read_text().startswith("<!-- Made by"):
                continue
            for target, anchor in re.findall(r"\]\(([^)#:]*)(#[^)]*)?\)", file.read_text()):
                other = (file.parent / target) if target else file
                if not other.is_file():
                    yield f"{file.name}: {target} does not exist"
                elif anchor:
                    heads = {re.sub(r"[^\w -]", "", head.lower()).replace(" ", "-")
                             for head in re.findall(r"^#+ (.*)$", other.read_text(), re.M)}
                    if anchor[1:] not in heads:
                        yield f"{file.name}: {target}{anchor} does not exist"


def description_problems(programs):
    """What style.md asks of every help text."""
    schema = json.loads((ROOT / "docs/schemas/command-1.schema.json").read_text())
    names = {one["program"] for one in programs.commands + programs.programs + programs.plugins} | {"all_gather_perf"}
    for one in programs.commands + [programs.perf] + programs.programs:
        program = one["program"]
        described = {key: value for key, value in one.items() if key != "group"}
        for error in jsonschema.Draft202012Validator(schema).iter_errors(described):
            yield f"{program}: {error.json_path}: {error.message}"
        if not re.fullmatch(r"[A-Z][a-z]+,? .*\.", one["summary"]) or len(one["summary"]) > 100:
            yield f"{program}: the summary is not one sentence of at most 100 characters"
        if len(one["examples"]) < 2:
            yield f"{program}: it has fewer than two examples"
        for name in one["see_also"]:
            if re.sub(r"\(\d\)$", "", name).replace("-", " ") not in names | {n.replace("-", " ") for n in names}:
                yield f"{program}: there is no page {name}"
        for option in one["options"]:
            if option["help"].endswith("."):
                yield f"{program}: the help of --{option['name']} ends with a full stop"


def help_problems(slipway, programs):
    """Every command prints its own help, through --help and through `slipway help`."""
    for one in programs.commands:
        words = one["program"].split(" ")[1:]
        first = subprocess.run([slipway, *words, "--help"], capture_output=True, text=True)
        second = subprocess.run([slipway, "help", *words], capture_output=True, text=True)
        if first.returncode != 0 or second.stdout != first.stdout or one["usage"] not in first.stdout:
            yield f"{one['program']}: --help and `slipway help` are not the same"
        long = [line for line in first.stdout.split("\n") if len(line) > 100]
        if long:
            yield f"{one['program']}: a line of --help is too long: {long[0]}"


def roff_problems(programs):
    """What groff warns about in manual pages."""
    if not shutil.which("groff"):
        return
    pages = {**reference.man_pages(programs), **reference.format_pages(programs.version)}
    for name, text in pages.items():
        if not text.startswith(".so "):
            done = subprocess.run(["groff", "-man", "-Tutf8", "-Kutf8", "-ww", "-z"], input=text, capture_output=True, text=True)
            if done.returncode != 0 or done.stderr:
                yield f"{name}: {done.stderr}"


def main():
    accept = os.environ.get("SLIPWAY_ACCEPT") == "1"
    if accept and os.environ.get("CI"):
        sys.exit("SLIPWAY_ACCEPT is refused in CI")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        slipway = installed(sys.argv[1], folder / "prefix")
        programs = reference.Programs(slipway, *sys.argv[2:])
        found = [*page_problems(programs, accept), *link_problems(), *description_problems(programs),
                 *help_problems(slipway, programs), *roff_problems(programs)]
    print(*found, sep="\n")
    print(f"{len(programs.commands)} commands, {len(found)} problems")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
