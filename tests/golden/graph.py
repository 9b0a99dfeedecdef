#!/usr/bin/env python3
"""Checks `slipway graph --format svg`: usage: graph.py SLIPWAY

Graphviz must draw every module and every edge in the text; without Graphviz, there must be an error. Checks that need
Graphviz are skipped if it is not installed.
"""
import html, pathlib, re, shutil, subprocess, sys, tempfile

sys.dont_write_bytecode = True  # keep the source tree clean
from run import HERE, installed


def main():
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        slipway = installed(sys.argv[1], pathlib.Path(folder) / "small", HERE / "commands/library")
        case = HERE / "commands/ok-graph.yaml"

        def run(*options, case=case, **more):
            return subprocess.run([slipway, "graph", str(case), *options], capture_output=True, text=True, timeout=90,
                                  **more)

        odd = pathlib.Path(folder) / 'a<b>&"c"'
        odd.mkdir()
        (odd / "variables.tf").write_text('variable "deployment_name" {\n  type = string\n}\n')
        blueprint = pathlib.Path(folder) / "odd.yaml"
        blueprint.write_text("blueprint_name: odd\nvars: {deployment_name: odd}\ndeployment_groups:\n- group: one\n"
                             f"  modules:\n  - id: odd\n    source: './{odd.name}'\n")
        text = run(case=blueprint, cwd=folder)
        if "a&lt;b&gt;&amp;&quot;c&quot;</font>" not in text.stdout or r'tooltip="./a<b>&\"c\""' not in text.stdout:
            problems.append(f"not escaped: {text}")

        missing = run("--format", "svg", env={"PATH": folder})
        if missing.returncode != 1 or "apt-get install graphviz" not in missing.stderr or missing.stdout:
            problems.append(f"without Graphviz: {missing}")
        if shutil.which("dot"):
            text = run().stdout
            picture = run("--format", "svg")
            # A comment cannot contain `--`, so an edge is `a->b` in its title.
            drawn = sorted(html.unescape(title) for title in re.findall("<title>(.*)</title>", picture.stdout))
            wanted = re.findall(r'^    "(.*)" \[', text, re.M) + re.findall(r'^  subgraph "(.*)" ', text, re.M)
            wanted += [f"{a}->{b}" for a, b in re.findall(r'^  "(.*)" -> "(.*)" \[', text, re.M)]
            if drawn != sorted([*wanted, "small"]):
                problems.append(f"drawn: {drawn}, not: {wanted}; {picture.stderr}")
            to_file = pathlib.Path(folder) / "out.svg"
            run("--format", "svg", "-o", str(to_file))
            if to_file.read_text() != picture.stdout:
                problems.append("the file holds something else than stdout")
    print(*problems, sep="\n")
    print(f"{len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
