#!/usr/bin/env python3
"""Checks the table of docs/guides/containers.md that compares our containers with pyxis: every line names tests that exist.

container_table.py SOURCE
"""
import pathlib
import re
import sys

source = pathlib.Path(sys.argv[1])


def test_names():
    for path in sorted((source / "tests/system").glob("container*.bats")):
        yield from re.findall(r'@test "(.+)" \{', path.read_text())
    for path in sorted((source / "tests/unit/spank-plugins").glob("container*")):
        text = path.read_text()
        yield from re.findall(r'TEST_CASE\(\s*"(.+?)"\)', text.replace('"\n    "', ""))
        yield from (name.replace("_", " ") for name in re.findall(r"def test_(\w+)", text))


lines = (source / "docs/guides/containers.md").read_text().splitlines()
start = next(at for at, line in enumerate(lines) if line.startswith("| pyxis's tests "))
known, rows, wrong = list(test_names()), 0, 0
for line in lines[start + 2 :]:
    if not line.startswith("|"):
        break
    rows += 1
    cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
    named = [name.strip() for name in cells[2].split(";") if name.strip()] if len(cells) == 3 else []
    missing = [name for name in named if not any(name in test for test in known)]
    if missing or not named:
        wrong += 1
        print(f"{cells[0]}: no such test: {', '.join(missing) or 'none is named'}")
print(f"{rows} lines, {wrong} wrong")
sys.exit(wrong > 0 or rows < 20)
