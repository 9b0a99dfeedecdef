#!/usr/bin/env python3
"""Formats every blueprint of this project and compares what it means before and after: usage: fmt.py SLIPWAY [FILE...]

With FILE, only those, in the folders where they are.
"""
import os, pathlib, re, stat, subprocess, sys, tempfile

sys.dont_write_bytecode = True  # keep the source tree clean
from run import ROOT, installed

FOLDERS = ("examples", "blueprints", "tests/golden")
MESSY = "\na:\n    - b:   1  \n      # why\n      c: |\n          x\n\n"
NEAT = "a:\n- b: 1\n  # why\n  c: |\n    x\n"


class Tests:
    def __init__(self, program, folder):
        self.slipway = installed(program, folder / "prefix")
        self.count = self.failed = 0

    def same(self, what, got, expected):
        self.count += 1
        if got != expected:
            self.failed += 1
            print(f"FAIL {what}\n  expected {expected!r}\n  got      {got!r}")

    def fmt(self, *words, text=None, cwd=ROOT):
        done = subprocess.run([self.slipway, "fmt", *words], input=text and text.encode(), cwd=cwd, capture_output=True, timeout=120)
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def expand(self, file):
        done = subprocess.run([self.slipway, "expand", file.name], cwd=file.parent, capture_output=True, timeout=120)
        return done.returncode, done.stdout, sorted(line for line in done.stderr.splitlines() if line.startswith(b"error"))

    # The file next to which the formatted one is: a blueprint may name files beside it.
    def keeps_its_meaning(self, file):
        before = file.read_bytes()
        status, after, _ = self.fmt("-", text=before.decode("utf-8", "surrogateescape")) if is_text(before) else (1, "", "")
        if status != 0:
            return
        self.same(f"{file}: every character but white space", "".join(after.split()), "".join(before.decode().split()))
        self.same(f"{file}: formatted again", self.fmt("-", text=after)[1], after)
        if after.encode() == before or not any(line.startswith(b"blueprint_name") for line in before.splitlines()):
            return
        expected = self.expand(file)
        file.write_text(after, newline="")
        self.same(f"{file}: expanded", self.expand(file), expected)
        file.write_bytes(before)

    def options(self, folder):
        neat, messy, wrong = folder / "neat.yaml", folder / "messy.yaml", folder / "wrong.yaml"
        neat.write_text(NEAT)
        messy.write_text(MESSY)
        wrong.write_text("a: [1\n")
        messy.chmod(0o640)
        self.same("--check", self.fmt("neat.yaml", "messy.yaml", "--check", cwd=folder), (1, "messy.yaml\n", ""))
        self.same("--check changes nothing", messy.read_text(), MESSY)
        self.same("--check of a formatted file", self.fmt("--check", "neat.yaml", cwd=folder), (0, "", ""))
        status, patch, _ = self.fmt("--diff", "neat.yaml", "messy.yaml", cwd=folder)
        patched = subprocess.run(["patch", "--silent", "-o", "-", "messy.yaml"], input=patch, text=True, cwd=folder, capture_output=True)
        self.same("--diff is a patch", (status, patched.stdout), (0, NEAT))
        status, out, messages = self.fmt("wrong.yaml", "messy.yaml", "none.yaml", cwd=folder)
        self.same("others are formatted", (status, out, messy.read_text()), (1, "messy.yaml\n", NEAT))
        self.same("the mode stays", stat.S_IMODE(messy.stat().st_mode), 0o640)
        self.same("mistakes are shown", ("error[E0101]" in messages, "none.yaml: No such file" in messages), (True, True))
        self.same("a file with mistakes stays", wrong.read_text(), "a: [1\n")
        self.same("no other file is left", sorted(p.name for p in folder.glob("*.yaml*")), ["messy.yaml", "neat.yaml", "wrong.yaml"])
        self.same("stdin", self.fmt(text=MESSY), (0, NEAT, ""))
        self.same("a byte order mark stays", self.fmt("-", text="\ufeff" + MESSY)[1], "\ufeff" + NEAT)


def is_text(data):
    try:
        return data.decode() is not None
    except UnicodeDecodeError:
        return False


# Doubles the distance of every level, so that there is something to format.
def spread(file):
    try:
        lines = file.read_text().split("\n")
    except UnicodeDecodeError:
        return
    if any(mark in line for line in lines for mark in ("|", ">", "\t", '"')):
        return  # where blanks mean something
    for number, line in enumerate(lines):
        rest = line.lstrip(" ")
        blanks = len(line) - len(rest)
        dashes = re.match("(- )*", rest)[0]
        lines[number] = " " * 2 * blanks + dashes.replace("- ", "-   ") + rest[len(dashes):]
    file.write_text("\n".join(lines))


def main():
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        tests = Tests(sys.argv[1], folder)
        if sys.argv[2:]:
            files = [pathlib.Path(name).resolve() for name in sys.argv[2:]]
        else:
            tests.options(folder)
            for name in FOLDERS:
                subprocess.run(["cp", "-r", ROOT / name, folder / os.path.basename(name)], check=True)
            files = sorted(path for name in FOLDERS for path in (folder / os.path.basename(name)).rglob("*.yaml"))
            for file in files[::2]:
                spread(file)
        for file in files:
            tests.keeps_its_meaning(file)
        tests.same("there are blueprints", len(files) > 0, True)
    print(f"{tests.count} checks, {tests.failed} failed")
    return 1 if tests.failed or not tests.count else 0


if __name__ == "__main__":
    sys.exit(main())
