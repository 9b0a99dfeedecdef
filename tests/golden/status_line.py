#!/usr/bin/env python3
"""Tests the line that shows progress on a terminal: usage: status_line.py SLIPWAY

`slipway fetch` runs in a terminal with a git that takes seconds. What the terminal shows in the end must have no trace of
the line, also after Ctrl-C and after an error, and a pipe or a dumb terminal must get none of it.
"""
import pathlib, re, signal, subprocess, sys, tempfile

sys.dont_write_bytecode = True  # keep the source tree clean
from checks import exit_status, same
from run import ROOT, installed

sys.path.append(str(ROOT / "tests/system"))
from in_terminal import in_terminal, shown

BLUEPRINT = """blueprint_name: far
vars: {deployment_name: far}
deployment_groups:
- group: primary
  modules: [{id: far, source: "git::file:///nowhere//module?ref=v1"}]
"""
LINE = "fetching git::file:///nowhere?ref=v1 (1 s)"


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        slipway = installed(sys.argv[1], folder / "prefix")
        (folder / "far.yaml").write_text(BLUEPRINT)
        (folder / "git").write_text("#!/bin/sh\n/bin/sleep 3\necho 'no such repository' >&2\nexit 128\n")
        (folder / "git").chmod(0o755)
        words = [slipway, "fetch", "far.yaml"]
        environment = {"PATH": f"{folder}:/usr/bin:/bin", "HOME": name, "TERM": "xterm"}

        output, status = in_terminal(words, environment, folder)
        same("a terminal shows the seconds", LINE in output, True)
        same("the exit status", status, 1)
        same("nothing of it stays", [line for line in shown(output) if "(" in line], [])
        same("the error stays", "no such repository" in " ".join(shown(output)), True)

        output, status = in_terminal(words, environment, folder, interrupt_at=LINE)
        same("Ctrl-C ends it", status, -signal.SIGINT)
        same("nothing stays after Ctrl-C", [line for line in shown(output) if "(" in line], [])

        output, _ = in_terminal(words, {**environment, "TERM": "dumb"}, folder)
        same("a dumb terminal", "\x1b" in output, False)

        done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, timeout=60)
        same("a pipe", [text for text in (done.stdout, done.stderr) if re.search(r"[\x1b\r]|\(\d+ s\)", text)], [])
    return exit_status()


if __name__ == "__main__":
    sys.exit(main())
