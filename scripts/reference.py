#!/usr/bin/env python3
"""Makes the manual pages and docs/reference from what the programs say about themselves (`--help=json`).

usage: reference.py man FOLDER SLIPWAY PERF PROGRAM... PLUGINS
       reference.py markdown FOLDER SLIPWAY PERF PROGRAM... PLUGINS

PERF is bandwidth_perf, PROGRAM another program with `--help=json`, PLUGINS the program that describes the SPANK
plugins. The build makes manual pages of them; tests/golden/reference.py compares docs/reference with them.
"""
import pathlib, sys

sys.dont_write_bytecode = True  # not into the source tree
from reference_man import man_pages
from reference_man5 import format_pages
from reference_markdown import command_pages, exit_status_page, job_options_page
from reference_modules import module_pages
from reference_programs import Programs


def markdown_pages(programs):
    return {**command_pages(programs), **module_pages(programs), "exit-status.md": exit_status_page(programs),
            "job-options.md": job_options_page(programs)}


def main():
    form, folder, *words = sys.argv[1:]
    programs = Programs(*words)
    if form == "man":
        for old in pathlib.Path(folder).glob("man[158]/*.[158]"):  # a verb may be gone
            old.unlink()
        pages = {f"man{name[-1]}/{name}": text for name, text in {**man_pages(programs), **format_pages(programs.version)}.items()}
    else:
        pages = markdown_pages(programs)
    for name, text in pages.items():
        file = pathlib.Path(folder) / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    pathlib.Path(folder).touch()  # when it was made, for the build


if __name__ == "__main__":
    main()
