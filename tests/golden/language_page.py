#!/usr/bin/env python3
"""Compiles every example of docs/reference/blueprint-*.md: usage: language_page.py SLIPWAY

The text after ``` gives the meaning of a block:

  yaml blueprint   a whole blueprint
  yaml example     some modules, variables or keys of the top level: the rest is FRAME
  yaml values      variables, each with the JSON of its value in a comment
  yaml file=NAME   a file next to the next blueprint or example
  console          `$ slipway …` and its output for the previous blueprint; a line `…` matches any lines

A blueprint without a console block after it must have no errors. There must be no other yaml blocks, and the page must list
exactly the functions that exist.
"""
import json, pathlib, re, shlex, shutil, subprocess, sys, tempfile

sys.dont_write_bytecode = True  # keep the source tree clean
from run import ROOT, installed

PAGES = [ROOT / "docs/reference/blueprint-language.md", ROOT / "docs/reference/blueprint-additions.md"]

FRAME = """blueprint_name: example
{top}
vars:
  deployment_name: example
  project_id: my-project
  region: us-central1
  zone: us-central1-a
{vars}
deployment_groups:
- group: primary
  modules:
  - id: network
    source: modules/network/vpc
{modules}
"""
FOR_VALUES = "  nodes: 4\n  zones: [a, b]\n  disk: {type: pd-ssd, gb: 100}\n"
UNUSED = "validators: [{validator: test_deployment_variable_not_used, inputs: {}, skip: true}]\n"


def framed(fragment):
    """The blueprint for a fragment, with its `vars` and modules inserted."""
    parts = {"top": "" if "validators:" in fragment else UNUSED, "vars": "", "modules": ""}
    where = "top"
    for line in fragment.splitlines(keepends=True):
        if re.match(r"- id:", line):
            where = "modules"
        elif re.match(r"vars:$", line):
            where = "vars"
            continue
        elif re.match(r"\w", line):
            where = "top"
        parts[where] += ("  " if where == "modules" else "") + line
    return FRAME.format(**parts)


def matches(expected, got):
    pattern = "".join("(?:.*\n)*?" if line.strip() == "…" else re.escape(line) for line in expected.splitlines(True))
    return re.fullmatch(pattern, got) is not None


class Page:
    def __init__(self, path, slipway, folder):
        self.slipway, self.folder = slipway, folder
        self.text = path.read_text()
        self.problems, self.blueprints, self.checked = [], 0, True
        self.used = False  # the files belong to the previous blueprint
        self.start_afresh()

    def start_afresh(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        self.used = False

    def run(self, words):
        done = subprocess.run([self.slipway, *words], cwd=self.folder, capture_output=True, text=True, timeout=60)
        return done, done.stderr + done.stdout

    def check(self):
        if not self.checked:
            done, said = self.run(["check", "blueprint.yaml"])
            if done.returncode != 0:
                self.problems.append(f"line {self.line}: {said}")
        self.checked = True

    def blueprint(self, text):
        (self.folder / "blueprint.yaml").write_text(text)
        self.blueprints += 1
        self.checked, self.used = False, True

    def values(self, body):
        rows = [(row[1], row[2]) for row in re.finditer(r"^(\w+): .*?  # (.*)$", body, re.M)]
        if len(rows) != len(body.splitlines()):
            self.problems.append(f"line {self.line}: a row without a value")
        self.blueprint(framed("vars:\n" + FOR_VALUES + re.sub("^", "  ", body, flags=re.M)))
        self.check()
        for name, value in rows:
            done, said = self.run(["explain", "blueprint.yaml", f"vars.{name}", "--format", "json"])
            got = json.loads(done.stdout)["explanations"][0]["value"] if done.returncode == 0 else said
            if got != json.loads(value):
                self.problems.append(f"line {self.line}: `{name}` is {json.dumps(got)}, not {value}")

    def console(self, body):
        for part in re.split(r"^(?=\$ slipway )", body, flags=re.M)[1:]:
            command, expected = part.split("\n", 1)
            _, said = self.run(shlex.split(command.removeprefix("$ slipway ")))
            if not matches(expected, said):
                self.problems.append(f"line {self.line}: {command}\n{said}")
        self.checked = True

    def block(self, info, body):
        if info == "console":
            self.console(body)
            return
        self.check()
        if self.used:
            self.start_afresh()
        if info == "yaml values":
            self.values(body)
        elif info in ("yaml blueprint", "yaml example"):
            self.blueprint(body if info == "yaml blueprint" else framed(body))
        elif info.startswith("yaml file="):
            path = self.folder / info.removeprefix("yaml file=")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(body)
        elif info.startswith("yaml"):
            self.problems.append(f"line {self.line}: a block that no test looks at")

    def blocks(self):
        for found in re.finditer(r"^```(\S.*)\n((?:.*\n)*?)```$", self.text, re.M):
            self.line = self.text[:found.start()].count("\n") + 1
            self.block(found[1], found[2])
        self.check()

    def functions(self):
        """Compares the page's functions, evaluated and left to Terraform, with those in the source."""
        text = "".join(path.read_text() for path in sorted((ROOT / "launcher/expression").glob("functions*.cc")))
        tables = "".join(re.findall(r"to_array<Function>\(\{(.*?)\}\);", text, re.DOTALL))
        known = set(re.findall(r'\{"(\w+)",\s+"', tables))
        left = set(re.findall(r'\{"(\w+)",\s+"[^"]*"\}', tables))  # without an implementation
        section = self.text.split("### Functions\n")[1].split("\n## ")[0]
        table, paragraph = section.split("\nThese are not computed")
        for what, there, text in (("the table", known, table), ("those that are not computed", left, paragraph)):
            said = set(re.findall(r"`(\w+)`", text))
            for name in sorted(there ^ said):
                self.problems.append(f"{what}: `{name}` is {'missing' if name in there else 'too much'}")
        return len(known - left)


def main():
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        slipway = installed(sys.argv[1], folder / "prefix")
        pages = [Page(path, slipway, folder / "blueprint") for path in PAGES]
        for page in pages:
            page.blocks()
        functions = pages[0].functions()
    problems = [problem for page in pages for problem in page.problems]
    blueprints = sum(page.blueprints for page in pages)
    print(*problems, sep="\n")
    print(f"{blueprints} blueprints, {functions} functions, {len(problems)} problems")
    return 1 if problems or blueprints < 10 or functions < 20 else 0


if __name__ == "__main__":
    sys.exit(main())
