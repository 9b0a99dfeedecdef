#!/usr/bin/env python3
"""How long `slipway lsp` takes to answer about a blueprint of 500 lines: lsp.py SLIPWAY

Each row is the median and the largest of several answers of one running server; `check` is the time from a change to its
diagnostics. `instructions` counts those of the server's process for one answer, with valgrind if it is installed: they
do not depend on what else the machine does.
"""
import pathlib, re, shutil, statistics, subprocess, sys, tempfile, time

sys.dont_write_bytecode = True  # keep the source tree clean
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "golden"))
from lsp import Client, Text

RUNS = 15
LINES = 500


def blueprint():
    text = """blueprint_name: wide
vars: {deployment_name: wide, project_id: my-project, region: us-central1, zone: us-central1-a}
deployment_groups:
- group: primary
  modules:
  - id: network
    source: modules/network/vpc
"""
    number = 0
    while text.count("\n") < LINES - 9:
        number += 1
        text += f"""  - id: nodeset{number}
    source: community/modules/compute/schedmd-slurm-gcp-v6-nodeset
    use: [network]
    settings:
      name: n{number}
      machine_type: n2-standard-4
      node_count_static: 1
      zone: $(vars.zone)
"""
    return text


def questions(text):
    place = text.at("use: [net")
    return {
        "completion": ("textDocument/completion", text.at("$(vars.")),
        "hover": ("textDocument/hover", text.at("      machine_t")),
        "definition": ("textDocument/definition", place),
        "rename": ("textDocument/rename", {**place, "newName": "other"}),
        "formatting": ("textDocument/formatting", {"textDocument": {"uri": text.uri}, "options": {}}),
    }


def check(client, text):
    client.notify("textDocument/didChange", {"textDocument": {"uri": text.uri, "version": 2}, "contentChanges": [{"text": text.text}]})
    return client.diagnostics()


def timed(action):
    times = []
    for _ in range(RUNS):
        begin = time.monotonic()
        action()
        times.append(1000 * (time.monotonic() - begin))
    return f"{statistics.median(times):8.1f} ms {max(times):8.1f} ms"


def session(program, text, action, repeated):
    client = Client(program)
    client.start()
    client.open(text.uri, text.text)
    for _ in range(repeated):
        action(client)
    client.end()


# Of one answer: what a session with six costs beyond one with one, over five.
def instructions(slipway, text, action, folder):
    counts = []
    for repeated in (1, 6):
        out = folder / "callgrind.out"
        session(["valgrind", "--quiet", "--tool=callgrind", f"--callgrind-out-file={out}", slipway], text, action, repeated)
        counts.append(int(re.search(r"^(?:totals|summary): (\d+)", out.read_text(), re.M)[1]))
    return (counts[1] - counts[0]) / 5 / 1e6


def main():
    slipway = sys.argv[1]
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        text = Text((folder / "wide.yaml").as_uri(), blueprint())
        actions = {"check": lambda client: check(client, text)}
        for name, (method, params) in questions(text).items():
            actions[name] = lambda client, method=method, params=params: client.ask(method, params)
        client = Client(slipway)
        client.start()
        client.open(text.uri, text.text)
        print(f"a blueprint of {text.text.count(chr(10))} lines")
        for name, action in actions.items():
            print(f"{name:12} {timed(lambda: action(client))}")
        client.end()
        if shutil.which("valgrind"):
            for name, action in actions.items():
                print(f"{name:12} {instructions(slipway, text, action, folder):8.1f} million instructions")


if __name__ == "__main__":
    main()
