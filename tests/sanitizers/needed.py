#!/usr/bin/env python3
"""Prints what must be made for some of the tests, one file a line: usage: needed.py FOLDER [--without SUITE]

For a sanitized build: what its tests run, and what `slipway` loads. With --without, for the usual build: everything but
the programs that only tests of this suite run."""
import argparse, json, pathlib

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("folder", type=pathlib.Path)
parser.add_argument("--without", metavar="SUITE")
options = parser.parse_args()


def introspected(kind):
    return json.loads((options.folder / f"meson-info/intro-{kind}.json").read_text())


def run_by_tests(suite, of_suite):
    """What the tests of a suite run, or those of all other suites."""
    return {name for test in introspected("tests") for name in test["depends"]
            if any(each.endswith(":" + suite) for each in test["suite"]) == of_suite}


def is_loaded(target):
    return target["installed"] and (target["type"].startswith("shared ") or target["filename"][0].endswith(".prepared"))


targets = introspected("targets")
if options.without:
    left_out = run_by_tests(options.without, True) - run_by_tests(options.without, False)
    # Libraries that are not installed are made for those that need them.
    needed = [target for target in targets if target["build_by_default"] and target["id"] not in left_out
              and (target["installed"] or target["type"] != "static library")]
else:
    run = run_by_tests("program", False)
    needed = [target for target in targets if target["id"] in run or is_loaded(target)]
for target in needed:
    print(*(pathlib.Path(file).relative_to(options.folder.resolve()) for file in target["filename"]), sep="\n")
