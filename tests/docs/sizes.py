#!/usr/bin/env python3
"""No source file has more than 400 lines, and each begins with a comment (CONTRIBUTING.md, Style): usage: sizes.py"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
ENDINGS = (".cc", ".h", ".py", ".sh", ".bash", ".bats", ".js")
MOST = 400


def sources():
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True)
    names = listed.stdout.split("\n") if listed.returncode == 0 else [
        str(path.relative_to(ROOT)) for path in ROOT.rglob("*") if not str(path.relative_to(ROOT)).startswith("build")]
    return [ROOT / name for name in names if name.endswith(ENDINGS) and (ROOT / name).is_file()]


def main():
    lines = {path: path.read_bytes().count(b"\n") for path in sources()}
    # After a line for the shell that starts it, or for shellcheck.
    begins = re.compile(rb'\s*(#!.*\n)?(# shellcheck .*\n)?(//|/\*|#|""")')
    bare = [f"{path.relative_to(ROOT)}: begins without a comment that says what it is for" for path in lines
            if path.stat().st_size > 0 and not str(path.relative_to(ROOT)).startswith("tests/")
            and (not begins.match(path.read_bytes()) or path.read_bytes().startswith((b"#include", b"#pragma")))]
    long = [f"{path.relative_to(ROOT)}: {count} lines; look for a way to split it" for path, count in lines.items() if count > MOST]
    print(*sorted(long + bare), sep="\n")
    print(f"{len(lines)} files, {len(long)} with more than {MOST} lines, {len(bare)} without a comment")
    return 1 if long or bare or len(lines) < 500 else 0


if __name__ == "__main__":
    sys.exit(main())
