#!/usr/bin/env python3
"""Prints what a sanitized build must make, one file a line: usage: needed.py FOLDER

That is what its tests run, and what `slipway` loads. Everything else is tested in the usual build only."""
import json, pathlib, sys

folder = pathlib.Path(sys.argv[1])


def introspected(kind):
    return json.loads((folder / f"meson-info/intro-{kind}.json").read_text())


run = {name for test in introspected("tests") if not any(suite.endswith(":program") for suite in test["suite"])
       for name in test["depends"]}
loaded = {target["id"] for target in introspected("targets")
          if target["installed"] and (target["type"].startswith("shared ") or target["filename"][0].endswith(".prepared"))}
for target in introspected("targets"):
    if target["id"] in run | loaded:
        print(*(pathlib.Path(file).relative_to(folder.resolve()) for file in target["filename"]), sep="\n")
