#!/usr/bin/env python3
"""Runs the commands that README.md, CONTRIBUTING.md and docs show.

  run.py check PROGRAM…          without a cluster: every block has a class, `here` runs, `parse` parses. PROGRAMS are the built ones of those
                                 that are installed
  run.py cluster PREFIX [PAGE…]  on a running deployment `quickstart`: the blocks `cluster` and `login` of these pages, or of all but README.md

The second word after ``` is the class of a block with commands:

  sh cluster      runs on this machine and needs the deployment `quickstart`
  sh login        the same, but typed on its login node
  sh here         runs on this machine without a cluster
  sh parse WHY    cannot run in a test: programs, verbs, options and files of ours must exist. WHY is one of REASONS below

`console` blocks have the same classes. They show `$ command` and its output, which is compared: `…` matches any text, a line `…` any
lines. `yaml file=NAME` (or `sbatch`) is a file for the blocks `here` and `cluster` that follow on its page, and `<!-- before: … -->` above a block has
commands that run first. Commands within a sentence, and the examples of --help, are checked as those of `parse`.
Pages of diagnostics and the pages of the language have tests of their own; generated pages come from the program itself.
"""
import json
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True  # not into the source tree
from pages import ROOT, before, blocks, inline_code, is_generated, name_of, pages

CLASSES = {"cluster", "login", "here", "parse"}
REASONS = {
    "cloud": "needs a project on Google Cloud; tests/deploy deploys and destroys with fakes",
    "gpus": "needs GPUs with NCCL",
    "root": "installs software on this machine",
    "build": "builds Slipway, as ./test.sh does",
    "image": "builds a root file system; ./test.sh --images does it",
    "pyxis": "needs pyxis",
    "nodes": "needs more nodes than the cluster of the test has",
    "readme": "is run as part of README.md",
    "machine": "needs the machine that the page describes",
    "last": "ends the deployment that all pages share; the test does it when it is done",
    "network": "downloads",
    "prometheus": "needs Prometheus; tests/system/monitoring.bats runs it",
}
OTHER_TESTS = re.compile(r"docs/(diagnostics/|reference/blueprint-\w+\.md)")
END_OF_COMMAND = {"|", "||", "&&", ";", "&", ">", ">>", "<", "2>", "--", ")", "#"}
SECONDS = 180


def has_own_test(page):
    return is_generated(page) or OTHER_TESTS.match(name_of(page)) is not None


def matches(expected, got):
    """Whether `got` is the text `expected`, in which … matches any text and a line … any lines."""
    pattern = ""
    for line in expected.splitlines():
        if line.strip() == "…":
            pattern += r"(?:.*\n)*?"
        else:
            pattern += "[^\n]*".join(re.escape(part) for part in line.rstrip().split("…")) + r"[ \t]*\n"
    return re.fullmatch(pattern, got if not got or got.endswith("\n") else got + "\n") is not None


def console_commands(body):
    """(command, output) of each `$ command` of a console block."""
    for part in re.split(r"^(?=\$ )", body, flags=re.M):
        if part.startswith("$ "):
            lines = part[2:].splitlines(keepends=True)
            command = lines.pop(0)
            while command.endswith("\\\n") and lines:
                command += lines.pop(0)
            yield command.rstrip("\n"), "".join(lines)


class Programs:
    """What our programs take, as their --help says."""

    def __init__(self, prefix):
        self.folder, self.helps = pathlib.Path(prefix) / "bin", {}
        self.verbs = set(re.findall(r"^  (\w[\w-]*) ", self.help([]), re.M))

    def help(self, words, program="slipway", tail=("--help",)):
        key = (program, *words)
        if key not in self.helps:
            command = [self.folder / program, *words, *tail]
            self.helps[key] = subprocess.run(command, capture_output=True, text=True, timeout=60).stdout
        return self.helps[key]

    def options(self, text):
        return set(re.findall(r"(?<![\w-])(--?[a-zA-Z][\w-]*)", text)) | {"--help", "-h", "--version"}

    def problem(self, program, words):
        """What is wrong with one call of ours, or None."""
        asked = []
        if program == "slipway":
            if not words or words[0].startswith("-"):
                return None
            if words[0].isupper():
                return None  # a placeholder
            if words[0] not in self.verbs | {"help"}:
                return f"`slipway` has no verb `{words[0]}`"
            asked = words[:1]
            parts = self.help(asked).partition("\nCommands:\n")[2].partition("\n\n")[0]
            if len(words) > 1 and words[1] in re.findall(r"^  (\w[\w-]*) ", parts, re.M):
                asked = words[:2]
        known = self.options(self.help(asked, program))
        for word in words:
            option = word.split("=")[0]
            short = re.fullmatch(r"-[a-zA-Z]", option[:2]) and option[:2] in known and not option.startswith("--")
            if option.startswith("-") and not re.fullmatch(r"-+\d*", option) and option not in known and not short:
                return f"`{' '.join([program, *asked])}` has no option `{option}`"
        return None


def calls(body, ours):
    """(program, words) of each call of a program of ours in shell text."""
    for line in re.sub(r"\\\n", " ", body).splitlines():
        try:
            lexer = shlex.shlex(line, posix=True, punctuation_chars="|&;()<>")
            lexer.whitespace_split = True
            words = list(lexer)
        except ValueError:
            continue  # text of a here-document, or a quote over several lines
        for place, word in enumerate(words):
            name = word.rsplit("/", 1)[-1]
            if name in ours and (place == 0 or not words[place - 1].startswith("--output")):
                rest = words[place + 1 :]
                end = next((n for n, w in enumerate(rest) if w in END_OF_COMMAND or w[0] in "|&;<>()"), len(rest))
                yield name, rest[:end]


class Runner:
    def __init__(self, prefix):
        self.prefix = pathlib.Path(prefix).resolve()
        self.programs = Programs(self.prefix)
        self.ours = {path.name for path in (self.prefix / "bin").iterdir()}
        self.problems, self.ran, self.left_out = [], 0, []

    def report(self, page, line, text):
        self.problems.append(f"{name_of(page)}:{line}: {text}")
        print(self.problems[-1], flush=True)

    def shell(self, kind, command, folder):
        script = f'export PATH="{self.prefix}/bin:$PATH"\n{command}'
        argv = ["bash", "-euo", "pipefail", "-c", script]
        if kind == "login":
            argv = [self.prefix / "bin/slipway", "exec", "quickstart", "login", "--", "bash", "-euo", "pipefail", "-c", command]
        self.ran += 1
        limit = ["timeout", str(SECONDS if folder != ROOT else 4 * SECONDS)]  # README's first command builds
        return subprocess.run(limit + argv, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, errors="replace")

    def run(self, page, line, language, kind, body, folder):
        first = before(page, line)
        if language == "sh":
            done = self.shell(kind, f"{first}\n{body}", folder)
            print(done.stdout, flush=True)
            if done.returncode != 0:
                self.report(page, line, f"ended with status {done.returncode}:\n{done.stdout}")
            return
        for command, output in console_commands(body):
            done = self.shell(kind, f"{first}\n{command}", folder)
            if not matches(output, done.stdout):
                self.report(page, line, f"`{command}` printed something else:\n{done.stdout}")

    def parse(self, page, line, body):
        done = subprocess.run(["bash", "-n", "-c", body], capture_output=True, text=True, timeout=60)
        if done.returncode != 0:
            self.report(page, line, f"bash cannot read it: {done.stderr}")
        for program, words in calls(body, self.ours):
            problem = self.programs.problem(program, words)
            if problem:
                self.report(page, line, problem)
        for file in re.findall(r"(?<![\w/.-])(?:\./)?((?:examples|images|scripts|tests|docs)/[\w./*-]+)", body):
            if not list(ROOT.glob(file)) and f"ninja -C build-fuzz {file}" not in body:
                self.report(page, line, f"there is no `{file}` in the tree")

    def page(self, page, wanted):
        with tempfile.TemporaryDirectory(prefix="slipway-docs-") as scratch:
            folder = pathlib.Path(scratch)
            for entry in ROOT.iterdir():
                (folder / entry.name).symlink_to(entry)
            folder = ROOT if page == ROOT / "README.md" and "cluster" in wanted else folder  # it builds
            for line, info, body in blocks(page):
                self.block(page, line, info.split(), body, wanted, folder)

    def block(self, page, line, info, body, wanted, folder):
        language, kind = (info + ["", ""])[:2]
        if language in ("sh", "bash", "shell", "console"):
            if kind not in CLASSES or language not in ("sh", "console"):
                self.report(page, line, f"``` {' '.join(info)}: a block with commands needs one of the classes {sorted(CLASSES)}")
            elif kind in wanted:
                self.run(page, line, language, kind, body, folder)
            elif "here" in wanted:
                if kind == "parse" and (len(info) < 3 or info[2] not in REASONS):
                    self.report(page, line, f"``` {' '.join(info)}: say why it cannot run: one of {sorted(REASONS)}")
                elif kind == "parse":
                    self.left_out.append(f"{name_of(page)}:{line}: {REASONS[info[2]]}")
                self.parse(page, line, body if language == "sh" else "\n".join(c for c, _ in console_commands(body)))
        elif language in ("yaml", "sbatch") and kind.startswith("file=") and folder != ROOT:
            (folder / kind.removeprefix("file=")).write_text(body)
        elif not language and re.search(r"^\$ ", body, re.M):
            self.report(page, line, "a block with `$ command` is a console block, and needs a class")

    def sentences(self, page):
        """Commands within the text: their verbs and options exist."""
        for line, text in inline_code(page):
            for program, words in calls(text, self.ours):
                problem = self.programs.problem(program, words) if text.startswith(program) else None
                if problem:
                    self.report(page, line, f"`{text}`: {problem}")

    def examples(self):
        """Those of --help: their verbs and options exist."""
        for one in json.loads(self.programs.help(["help", "--json"], tail=[]))["commands"]:
            for example in one["examples"]:
                for program, words in calls(example["name"], self.ours):
                    problem = self.programs.problem(program, words)
                    if problem:
                        self.problems.append(f"{one['program']} --help: `{example['name']}`: {problem}")
                        print(self.problems[-1], flush=True)

    def is_idle(self):
        """Whether all nodes of the deployment serve again; waits for it, since a page may have broken some."""
        end = time.monotonic() + 240
        while time.monotonic() < end:
            done = self.shell("login", "sinfo --noheader --format=%T", ROOT)
            if set(done.stdout.split()) == {"idle"}:
                return True
            time.sleep(0.5)
        return False


def prefix_of(programs, prefix):
    """A prefix as `meson install` makes it, with these programs and the data of the source tree."""
    (prefix / "bin").mkdir(parents=True)
    (prefix / "share/slipway").mkdir(parents=True)
    for folder in ("blueprints", "examples"):
        (prefix / "share/slipway" / folder).symlink_to(ROOT / folder)
    for program in programs:
        shutil.copy(program, prefix / "bin")
    for collective in ("all_gather", "all_reduce", "alltoall", "broadcast", "gather", "reduce", "reduce_scatter", "scatter", "sendrecv"):
        (prefix / "bin" / f"{collective}_perf").symlink_to("bandwidth_perf")
    return prefix


def check(programs):
    with tempfile.TemporaryDirectory(prefix="slipway-docs-") as folder:
        runner = Runner(prefix_of(programs, pathlib.Path(folder) / "prefix"))
        for page in pages():
            if not has_own_test(page):
                runner.page(page, {"here"})
                runner.sentences(page)
        runner.examples()
    print(*runner.left_out, sep="\n")
    print(f"{len(runner.left_out)} blocks cannot run in a test")
    return runner


def on_cluster(prefix, names):
    runner = Runner(prefix)
    for page in [ROOT / name for name in names] or [page for page in pages() if page != ROOT / "README.md"]:
        if has_own_test(page) or not has_cluster_blocks(page):
            continue
        start = time.monotonic()
        runner.page(page, {"cluster", "login"})
        print(f"{name_of(page)}: {time.monotonic() - start:.1f} s", flush=True)
        if page != ROOT / "README.md" and not runner.is_idle():
            runner.report(page, 1, "leaves nodes that are not idle")
    return runner


def has_cluster_blocks(page):
    return any(info.split()[1:2] in (["cluster"], ["login"]) for _, info, _ in blocks(page))


def main():
    what, first, *others = sys.argv[1:]
    runner = check([first, *others]) if what == "check" else on_cluster(first, others)
    print(f"{runner.ran} commands and blocks ran, {len(runner.problems)} problems")
    return 1 if runner.problems else 0


if __name__ == "__main__":
    sys.exit(main())
