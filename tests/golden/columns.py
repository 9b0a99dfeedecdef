#!/usr/bin/env python3
"""What people read on a terminal fits in its 80 columns: usage: columns.py SLIPWAY

Checks `slipway help`, `slipway doctor`, and the pages that `slipway explain CODE` prints, without tables, headings and what
examples print."""
import os, pathlib, subprocess, sys, tempfile

sys.dont_write_bytecode = True  # keep the source tree clean
from run import ROOT, installed

COLUMNS = 80
problems = []


def check(title, lines):
    problems.extend(f"{title}: {len(line)} columns: {line}" for line in lines if len(line) > COLUMNS)


def prose_and_blueprints(page):
    fence = ""
    for line in page.splitlines():
        if line.startswith("```"):
            fence = "" if fence else line
        elif fence == "```yaml" or not fence and not line.startswith(("#", "|")):
            yield line


with tempfile.TemporaryDirectory() as folder:
    prefix = pathlib.Path(folder) / "prefix"
    slipway = installed(sys.argv[1], prefix)
    (prefix / "share/doc").mkdir()
    (prefix / "share/doc/slipway").symlink_to(ROOT / "docs")
    environment = {**os.environ, "LC_ALL": "C.UTF-8"}
    environment.pop("COLUMNS", None)

    def printed(*words):
        return subprocess.run([slipway, *words], capture_output=True, text=True, timeout=60, env=environment, check=False).stdout

    check("slipway help", printed("help").splitlines())
    check("slipway doctor", printed("doctor").splitlines())
    codes = sorted(page.stem for page in (ROOT / "docs/diagnostics").glob("[EW][0-9]*.md"))
    for code in codes:
        page = printed("explain", code)
        if not page.startswith(f"# {code}: "):
            problems.append(f"slipway explain {code} does not print its page")
        check(f"slipway explain {code}", prose_and_blueprints(page))
print(*problems, sep="\n")
print(f"{len(codes)} pages, {len(problems)} problems")
sys.exit(1 if problems or not codes else 0)
