#!/usr/bin/env python3
"""Runs the example of every page of docs/diagnostics: usage: diagnostic_pages.py SLIPWAY [CODE...]

Every code in launcher/source/codes.cc needs a page with the heading `# CODE: title` and a row in README.md. A page has one
console block, `$ slipway …` with its complete output, which must contain the code; `$ NAME=VALUE slipway …` sets a variable.
The text after ``` gives the meaning of the other blocks:

  yaml            the file blueprint.yaml
  yaml escaped    the same, with \\xNN for a byte that a page cannot contain
  LANGUAGE NAME   the file NAME next to it; in share/slipway/, a file of the installation

SLIPWAY_ACCEPT=1 rewrites what the commands print; it is refused if CI is set.
"""
import os, pathlib, re, shlex, shutil, subprocess, sys, tempfile

sys.dont_write_bytecode = True  # keep the source tree clean
from run import ROOT, installed

PAGES = ROOT / "docs/diagnostics"
BLOCK = re.compile(r"^```(.*)\n((?:.*\n)*?)```$", re.M)
# Reported by the command line, without a code.
WITHOUT_CODE = {"E0220"}
# Their examples need Terraform and are skipped without it.
WITH_TERRAFORM = {"E0506"}


def registered():
    """The codes and titles in the registry, by their numbers."""
    text = (ROOT / "launcher/source/codes.cc").read_text()
    found = re.findall(r'\{Code::\w+, "([EW]\d{4})", "((?:[^"\\]|\\.)*)"\}', text)
    return dict(sorted(found, key=lambda code: code[0][1:]))


def write_files(page, folder, program):
    """Writes the files of a page and installs the program; returns its path."""
    prefix = folder / "prefix"
    slipway = installed(program, prefix)
    for words, text in BLOCK.findall(page):
        language, _, name = words.partition(" ")
        if language == "console":
            continue
        data = text.encode()
        if name == "escaped":
            name, data = "", re.sub(rb"\\x([0-9a-f]{2})", lambda m: bytes([int(m[1], 16)]), data)
        if name.startswith("share/slipway/"):
            link = prefix / "share/slipway/blueprints"
            if link.is_symlink():
                link.unlink()
                shutil.copytree(ROOT / "blueprints", link)
            (prefix / name).write_bytes(data)
            continue
        file = folder / "work" / (name or "blueprint.yaml")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
    return slipway


def printed(page, program):
    """The output of the command in the page's console block."""
    settings, command = re.search(r"^\$ ((?:\w+=\S* )*)slipway (.*)$", page, re.M).groups()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        slipway = write_files(page, folder, program)
        environment = {**os.environ, "XDG_CACHE_HOME": str(folder / "cache"), "NO_COLOR": "1",
                       **dict(setting.split("=", 1) for setting in settings.split())}
        done = subprocess.run([slipway, *shlex.split(command)], cwd=folder / "work", env=environment, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)
        return f"$ {settings}slipway {command}\n" + done.stdout.replace(f"{folder}/prefix/", "")


def problems(code, title, program, accept):
    file = PAGES / f"{code}.md"
    if not file.is_file():
        yield "it has no page"
        return
    page = file.read_text()
    if not page.startswith(f"# {code}: {title}\n"):
        yield f"the page does not begin with `# {code}: {title}`"
    consoles = [match for match in BLOCK.finditer(page) if match[1] == "console"]
    if len(consoles) != 1 or BLOCK.search(page)[1] == "console":
        yield "the page does not have one example and one console block"
        return
    if code in WITH_TERRAFORM and not (shutil.which("terraform") or shutil.which("tofu")):
        return
    got = printed(page, program)
    if accept:
        file.write_text(page[:consoles[0].start(2)] + got + page[consoles[0].end(2):])
    elif got != consoles[0][2]:
        yield f"the page shows\n{consoles[0][2]}and the program prints\n{got}"
    if f"[{code}]" not in got and code not in WITHOUT_CODE:
        yield f"the example does not have the mistake:\n{got}"


def index_problems(codes):
    rows = re.findall(r"^\| \[(\w+)\]\((.*)\) \| (.*) \|$", (PAGES / "README.md").read_text(), re.M)
    if rows != [(code, f"{code}.md", title) for code, title in codes.items()]:
        yield "README.md does not list the codes and titles of the register, by their numbers"
    for file in PAGES.glob("*.md"):
        if file.stem not in codes and file.name != "README.md":
            yield f"{file.name} is about no registered code"


def main():
    accept = os.environ.get("SLIPWAY_ACCEPT") == "1"
    if accept and os.environ.get("CI"):
        sys.exit("SLIPWAY_ACCEPT is refused in CI")
    program, names = sys.argv[1], sys.argv[2:]
    codes = registered()
    found = [] if names else list(index_problems(codes))
    for code, title in codes.items():
        if not names or code in names:
            found += [f"{code}: {problem}" for problem in problems(code, title, program, accept)]
    print(*found, sep="\n")
    print(f"{len(codes)} codes, {len(found)} problems")
    return 1 if found or not codes else 0


if __name__ == "__main__":
    sys.exit(main())
