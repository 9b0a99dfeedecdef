#!/usr/bin/env python3
"""Writes the lists of blueprints/catalogue/driver.yaml as a C++ header: driver_files.py YAML HEADER

They are lists of words under keys without indentation; any other line is an error, so that nothing is left out unnoticed.
"""
import pathlib
import re
import sys

LISTS = ["library_folders", "extra_folder", "libraries", "programs", "folders"]


def read(text):
    found, key = {}, ""
    for number, line in enumerate(text.splitlines(), 1):
        if re.match(r"\s*(#|$)", line):
            continue
        if header := re.fullmatch(r"(\w+):(?:\s+#.*)?", line):
            key = header[1]
        elif key == "sources" and line.startswith("  "):
            continue
        elif (item := re.fullmatch(r"- (\S+)(?:\s+#.*)?", line)) and key in LISTS:
            found.setdefault(key, []).append(item[1])
        else:
            sys.exit(f"line {number}: `{line}` is neither a key nor an entry of {', '.join(LISTS)}")
    if missing := set(LISTS) - set(found):
        sys.exit(f"missing: {', '.join(sorted(missing))}")
    return found


source, header = map(pathlib.Path, sys.argv[1:])
lines = [f"// The lists of {source.name}, made by the build.", "#pragma once", ""]
for name, entries in read(source.read_text()).items():
    lines.append(f"inline constexpr const char* driver_{name}[] = {{{', '.join(chr(34) + entry + chr(34) for entry in entries)}}};")
header.write_text("\n".join(lines) + "\n")
