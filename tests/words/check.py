#!/usr/bin/env python3
"""Searches the texts of the project for phrases that a reader stumbles over: tests/words/phrases.txt lists them.

    tests/words/check.py                    every file; exit status 1 if there is a finding
    tests/words/check.py docs launcher/job  these files and folders alone
    tests/words/check.py --count            findings by phrase and by folder, without the lines

A line that has to quote a phrase, such as another program's message, carries the mark `words: quoted` in a comment.
"""

import argparse
import collections
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent

# Texts of others, and inputs made to be strange.
FOREIGN = re.compile(
    r"^(LICENSE$|tests/words/|tests/schemas/|tests/fuzz/corpus/|tests/hostile/)|\.(png|svg|sqsh|bin|gz|woff2?)$"
)
QUOTED = "words: quoted"


def read_phrases():
    phrases = []
    for number, line in enumerate((HERE / "phrases.txt").read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        pattern, _, instead = line.partition("\t")
        if not instead.strip():
            sys.exit(f"phrases.txt:{number}: a pattern, a tab and the better words are needed")
        phrases.append((re.compile(pattern, re.IGNORECASE), instead.strip()))
    return phrases


def project_files(wanted):
    """Tracked files; in an unpacked tarball, all files outside of build folders."""
    if (ROOT / ".git").exists():
        names = subprocess.run(
            ["git", "ls-files", "-z", "--", *wanted], cwd=ROOT, check=True, capture_output=True, text=True
        ).stdout.split("\0")
    else:
        roots = [ROOT / name for name in wanted] or [ROOT]
        paths = [path for root in roots for path in ([root] if root.is_file() else sorted(root.rglob("*")))]
        names = [str(path.relative_to(ROOT)) for path in paths if path.is_file()]
        names = [name for name in names if not name.startswith(("build", ".git/"))]
    return [name for name in names if name and not FOREIGN.search(name)]


def may_match(names, pattern):
    """The files that grep finds the pattern in: PCRE is several times faster than Python's re."""
    command = ["xargs", "-0", "grep", "--files-with-matches", "--null", "--ignore-case", "--perl-regexp", "--", pattern]
    files = "\0".join(name for name in names if (ROOT / name).is_file() and not (ROOT / name).is_symlink())
    grep = subprocess.run(
        command, input=files, cwd=ROOT, capture_output=True, text=True, env={**os.environ, "LC_ALL": "C.UTF-8"}
    )
    if grep.stderr:  # a grep without PCRE, for instance
        return names
    return [name for name in grep.stdout.split("\0") if name]


def findings(names, phrases):
    # Most lines match nothing: one search for all phrases is several times faster than one for each.
    anything = re.compile("|".join(f"(?:{phrase.pattern})" for phrase, _ in phrases), re.IGNORECASE)
    for name in may_match(names, anything.pattern):
        path = ROOT / name
        if path.is_symlink() or not path.is_file():
            continue
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except UnicodeDecodeError:
            continue
        for number, line in enumerate(lines, 1):
            if QUOTED in line or not anything.search(line):
                continue
            for phrase, instead in phrases:
                for match in phrase.finditer(line):
                    yield name, number, match, phrase, instead, line


def print_counts(found):
    by_phrase = collections.Counter(phrase.pattern for _, _, _, phrase, _, _ in found)
    by_folder = collections.Counter("/".join(name.split("/")[:2]) for name, *_ in found)
    for table in (by_phrase, by_folder):
        for key, count in table.most_common():
            print(f"{count:6}  {key}")
        print()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", help="files and folders, relative to the top of the tree")
    parser.add_argument("--count", action="store_true", help="print counts alone")
    arguments = parser.parse_args()
    phrases = read_phrases()
    names = project_files(arguments.paths)
    if not names:
        sys.exit("there is no file to read")
    found = list(findings(names, phrases))
    if arguments.count:
        print_counts(found)
    else:
        for name, number, match, _, instead, line in found:
            print(f"{name}:{number}:{match.start() + 1}: `{match.group().strip()}`: {instead}\n    {line.strip()}")
    print(f"{len(names)} files, {len(phrases)} phrases, {len(found)} findings", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
