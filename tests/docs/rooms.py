#!/usr/bin/env python3
"""Compares the table of rooms in CONTRIBUTING.md with the #include lines: usage: rooms.py

Every folder with sources is in a room of the table, and includes only headers of rooms above its own.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]

sys.dont_write_bytecode = True  # keep the source tree clean
sys.path.insert(0, str(ROOT / "tests"))
from code_files import code_files  # noqa: E402

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)


def rooms():
    """The rooms in the order of the table."""
    section = (ROOT / "CONTRIBUTING.md").read_text().split("## The rooms\n")[1].split("\n## ")[0]
    return re.findall(r"^\| `([\w/-]+)/` \|", section, re.M)


def room_of(name, order):
    """The longest room that the file is in."""
    found = [room for room in order if name.startswith(room + "/")]
    return max(found, key=len, default=None)


def included(name):
    """The files of ours that a file includes."""
    for header in INCLUDE.findall((ROOT / name).read_text()):
        for path in (ROOT / header, (ROOT / name).parent / header):
            if path.exists():
                yield str(path.relative_to(ROOT))
                break


def main():
    order, problems = rooms(), []
    for name in code_files(ROOT):
        room = room_of(name, order)
        if room is None or (room == "launcher" and name.count("/") > 1):
            problems.append(f"{name}: its folder is not in the table of CONTRIBUTING.md")
            continue
        for header in included(name):
            other = room_of(header, order)
            if other != room and (other is None or order.index(other) > order.index(room)):
                problems.append(f"{name}: includes {header}, of a room below its own")
    print(*problems, sep="\n")
    print(f"{len(order)} rooms, {len(problems)} problems")
    return 1 if problems or len(order) < 10 else 0


if __name__ == "__main__":
    sys.exit(main())
