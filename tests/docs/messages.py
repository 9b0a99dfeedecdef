#!/usr/bin/env python3
"""Checks that the messages that people search for exist: usage: messages.py

The first column of the tables of these pages has messages in backticks, with … for what varies. Each part of one has to be in a text of our
sources, or in FOREIGN: what Slurm, Google and others print.
"""
import re
import sys

sys.dont_write_bytecode = True  # not into the source tree
from pages import ROOT, name_of

PAGES = ["docs/guides/troubleshooting.md", "docs/guides/google-cloud.md"]
SOURCES = ["launcher", "common", "spank-plugins", "nccl-tests", "blueprints", "images"]
FOREIGN = {
    "slurm": ["Prolog error", "Epilog error", "Not responding", "Nodes ", " are still not ready", "Something is wrong with the boot of the nodes",
              "srun: unrecognized option '--container-image", "Slurm accounting storage is disabled", "srun: Prolog failure on node "],
    "google": ["QUOTA_EXCEEDED", "ZONE_RESOURCE_POOL_EXHAUSTED", " does not have storage.objects.get access", "No such object"],
    "programs and options": ["sinfo", "srun", "munge", "MPI_Init", "--mpi=pmi2", "status", "create", "goodput", "(slipway health) Action:", "' of "],
}


def texts():
    """All sources, with the pieces of a C++ string put together and what fmt fills in as …"""
    found = []
    for folder in SOURCES:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in (".cc", ".h", ".yaml", ".sh") and path.is_file():
                text = re.sub(r'"\s*\n\s*"', "", path.read_text())
                found.append(re.sub(r"\{[\w.:]*\}", "…", text).replace('\\"', '"'))
    return "\n".join(found)


def messages(page):
    for line in (ROOT / page).read_text().splitlines():
        cells = line.split(" | ")
        if line.startswith("| ") and len(cells) > 1:
            yield from (message for message in re.findall(r"`([^`]+)`", cells[0]) if not re.match(r"(error|warning)\[", message))


def main():
    sources, problems, count = texts(), [], 0
    foreign = [text for group in FOREIGN.values() for text in group]
    for page in PAGES:
        for message in messages(page):
            count += 1
            for part in re.split("…|\\.\\.\\.", message):
                part = part.strip().removeprefix("waiting for ")
                if len(part) > 3 and part not in sources and not any(part in text or text.strip() in part for text in foreign):
                    problems.append(f"{name_of(ROOT / page)}: `{message}`: no source has `{part}`")
    print(*problems, sep="\n")
    print(f"{count} messages, {len(problems)} problems")
    return 1 if problems or count < 30 else 0


if __name__ == "__main__":
    sys.exit(main())
