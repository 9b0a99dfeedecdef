#!/usr/bin/env python3
"""Completes command lines in real shells, with the scripts that are installed.

usage: completion.py SLIPWAY PERF PROGRAM...        the built programs, as for scripts/reference.py
       completion.py --offer PREFIX LINE=WORD,...   what an installation offers for these lines, with its own scripts

The second form is for tests with a cluster. Shells that are not installed are skipped.
"""
import pathlib, shutil, sys, tempfile

sys.dont_write_bytecode = True  # not into the source tree
from run import ROOT, installed
from shells import installed_shells, offered

sys.path.insert(0, str(ROOT / "scripts"))
from reference_programs import COLLECTIVES

SCRIPTS = ROOT / "scripts/completion"
# In a folder with blueprint.yaml, a ledger of job 17 and the folder `reports` with one.json.
COMPLETIONS = {
    "slipway de": ["deploy", "destroy"],
    "slipway help expl": ["explain"],
    "slipway node tr": ["transport"],
    "slipway node transport st": ["start", "stop"],
    "slipway health --sta": ["--stage"],
    "slipway health --stage p": ["prolog", "periodic"],
    "slipway health --stage=pr": ["--stage=prolog"],
    "slipway health re": ["report"],
    "slipway modules files": ["filestore"],
    "slipway fault quick login link-r": ["link-rate"],
    "slipway explain E010": ["E0101", "E0102", "E0103", "E0104", "E0105", "E0106", "E0107"],
    "slipway explain blueprint.yaml homefs.local_m": ["homefs.local_mount"],
    "slipway check blue": ["blueprint.yaml"],
    "slipway deploy --target g": ["google"],
    "slipway deploy --target=": ["--target=local", "--target=google", "--target=hosts"],
    "slipway deploy b.yaml --ou": ["--output"],
    "slipway create b.yaml -o rep": ["reports/"],
    "slipway create b.yaml --output=rep": ["--output=reports/"],
    "slipway completion ": ["bash", "zsh", "fish"],
    "slipway exec quick login --user=roo": ["--user=root"],
    "slipway exec quick login bandwidth_sc": ["bandwidth_scan"],
    "slipway exec quick login -- --": [],
    "slipway ledger 1": ["17"],
    "slipway unknown ": [],
    "bandwidth_perf all_": ["all_gather", "all_reduce"],
    "bandwidth_perf all_reduce --tim": ["--timeout", "--timing"],
    "bandwidth_perf unknown --tim": [],
    "bandwidth_scan --pl": ["--plan"],
    "bandwidth_scan --backend=s": ["--backend=sim"],
    "bandwidth_compare reports/o": ["reports/one.json"],
    "bandwidth_compare reports/one.json --al": ["--allow"],
    "bandwidth_plot --output rep": ["reports/"],
} | {f"{name}_perf --timing p": ["pipelined"] for name in COLLECTIVES}


def normal(words):
    """Without what shells do in their own way: the order, a slash after a folder, words for `=` of their own."""
    return sorted({word.rsplit("=", 1)[-1].rstrip("/") for word in words})


def problems(completions, scripts, folder, path):
    for shell in installed_shells():
        for line, got in offered(shell, list(completions), scripts, folder, path):
            wanted = completions[line]
            if normal(got) != normal(wanted):
                yield f"{shell}: completion of `{line}`: {got}, not {wanted}"


def of_programs(slipway, perf, *programs):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        binaries = installed(slipway, folder / "prefix").parent
        for program in [perf, *programs]:
            shutil.copy(program, binaries)
        for collective in COLLECTIVES:
            (binaries / f"{collective}_perf").symlink_to(pathlib.Path(perf).name)
        (folder / "reports").mkdir()
        (folder / "reports/one.json").touch()
        (folder / "slipway-ledger-17.jsonl").touch()
        shutil.copy(ROOT / "examples/quickstart.yaml", folder / "blueprint.yaml")
        return list(problems(COMPLETIONS, SCRIPTS, folder, binaries)), len(COMPLETIONS)


def of_installation(prefix, *lines):
    wanted = {line: [word for word in words.split(",") if word] for line, words in (one.split("=", 1) for one in lines)}
    return list(problems(wanted, SCRIPTS, ROOT, pathlib.Path(prefix).resolve() / "bin")), len(wanted)


def main():
    first, *words = sys.argv[1:]
    found, lines = of_installation(*words) if first == "--offer" else of_programs(first, *words)
    print(*found, sep="\n")
    print(f"{lines} lines in {', '.join(installed_shells())}: {len(found)} problems")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
