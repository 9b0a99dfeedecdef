#!/usr/bin/env python3
"""No source file has more than 400 lines (CONTRIBUTING.md, Style): usage: sizes.py"""
import pathlib
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
    long = [f"{path.relative_to(ROOT)}: {count} lines; look for a way to split it" for path, count in lines.items() if count > MOST]
    print(*sorted(long), sep="\n")
    print(f"{len(lines)} files, {len(long)} with more than {MOST} lines")
    return 1 if long or len(lines) < 500 else 0


if __name__ == "__main__":
    sys.exit(main())
