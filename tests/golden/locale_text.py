#!/usr/bin/env python3
"""Where the locale has no UTF-8, text for people is ASCII: usage: locale_text.py SLIPWAY PROGRAM...

Runs verbs and our other programs under LC_ALL=C and under LC_ALL=C.UTF-8. What differs has characters that only the second
may have; data, such as JSON, does not differ.
"""
import json, os, pathlib, subprocess, sys, tempfile

sys.dont_write_bytecode = True  # keep the source tree clean
from checks import exit_status, same
from run import ROOT, installed

BLUEPRINT = """blueprint_name: umlaut
vars:
  project_id: p
  deployment_name: umlaut
  region: us-central1
  zone: us-central1-a
  # {long}
  dauer: {{aa: [1, 2], {long}: 3, "Zürich → Genève": unbekannt.zürich}}
deployment_groups:
- group: primary
  modules:
  - id: network
    source: modules/network/vpc
    settings: {{labels: $(vars.dauer), subnet: "größe"}}
  - id: homefs
    source: modules/file-system/filestore
    use: [network]
    settings: {{local_mount: /home, {long}: $(1 +)}}
"""


class Shown:
    """Runs a program in both locales, and collects what is wrong."""

    def __init__(self, folder):
        self.folder, self.different = folder, set()

    def run(self, words, locale, **environment):
        environment = {**os.environ, "LC_ALL": locale, "NO_COLOR": "1", **environment}
        done = subprocess.run([str(word) for word in words], cwd=self.folder, capture_output=True, timeout=60, env=environment)
        return done.returncode, done.stdout, done.stderr

    def is_ascii(self, *words):
        name = " ".join([pathlib.Path(words[0]).name, *map(str, words[1:])])
        plain, full = (self.run(words, locale) for locale in ("C", "C.UTF-8"))
        same(f"{name}: status", plain[0], full[0])
        same(f"{name}: no ASCII", [line for text in plain[1:] for line in text.splitlines() if not line.isascii()], [])
        full[1].decode(), full[2].decode()
        if plain != full:
            self.different.add(name)
        return plain

    def is_data(self, *words):
        name = " ".join(map(str, words[1:]))
        plain, full = (self.run(words, locale) for locale in ("C", "C.UTF-8"))
        same(f"{name}: data", plain[:2], full[:2])
        return plain


def verbs(slipway):
    listed = subprocess.run([slipway, "help", "--json"], capture_output=True, check=True, timeout=60)
    return [one["program"].removeprefix("slipway ") for one in json.loads(listed.stdout)["commands"]]


def main():
    built, *others = (pathlib.Path(one).resolve() for one in sys.argv[1:])
    with tempfile.TemporaryDirectory() as folder:
        slipway = installed(built, pathlib.Path(folder, "prefix"))
        (pathlib.Path(folder, "prefix/share/doc/slipway")).mkdir(parents=True)
        (pathlib.Path(folder, "prefix/share/doc/slipway/docs")).symlink_to(ROOT / "docs")
        shown = Shown(folder)
        pathlib.Path(folder, "bad.yaml").write_text(BLUEPRINT.format(long="x" * 400 + "ö" * 400))
        example = ROOT / "examples/first-day.yaml"
        names = verbs(slipway)
        same("verbs", len(names) > 20, True)
        for verb in names:
            shown.is_ascii(slipway, *verb.split(), "--help")
            shown.is_ascii(slipway, "__complete", *verb.split(), "--")
        for script in (ROOT / "scripts/completion").iterdir():
            same(f"{script.name} is ASCII", script.read_bytes().isascii(), True)
        for program in others:
            shown.is_ascii(program, "--help")
            if program.name == "bandwidth_perf":
                shown.is_ascii(program, "alltoallv", "--help")
        for words in ("check bad.yaml", "expand bad.yaml", "explain bad.yaml", f"explain {example}", "check größe.yaml", "unbekannt→",
                      "health policy", "doctor local", "modules", "modules slurm-v6-nodeset", "help",
                      f"quota {example} --vars project_id=p", "rehearse --nodes 64 --hours 100", "explain E0101", "status", "version"):
            shown.is_ascii(slipway, *words.split())
        for setting in ("homefs.network_id", "homefs.local_mount", "vars.zone"):
            shown.is_ascii(slipway, "explain", example, setting)
        # A tree, a table of cut texts and a help text have such characters in UTF-8.
        for words in (f"explain {example} homefs.network_id", "modules", "quota --help", "check bad.yaml"):
            same(f"{words} differs", f"slipway {words}" in shown.different, True)
        text = shown.is_ascii(slipway, "check", "bad.yaml")[2].decode()
        same("an ellipsis", "..." in text, True)
        # JSON on stderr has escapes, and is the same document.
        plain, full = (shown.run([slipway, "check", "bad.yaml", "--diagnostics=json"], locale)[2] for locale in ("C", "C.UTF-8"))
        same("JSON on stderr is ASCII", plain.isascii(), True)
        same("JSON on stderr", json.loads(plain), json.loads(full))
        shown.is_data(slipway, "check", "bad.yaml", "--json")
        shown.is_data(slipway, "graph", example)
        # Without any variable, UTF-8 is what is shown.
        none = {"LC_ALL": "", "LC_CTYPE": "", "LANG": ""}
        same("no locale", shown.run([slipway, "check", "bad.yaml"], "", **none), shown.run([slipway, "check", "bad.yaml"], "C.UTF-8"))
        same("by name", shown.run([slipway, "check", "bad.yaml"], "xx_YY.utf8"), shown.run([slipway, "check", "bad.yaml"], "C.UTF-8"))
    return exit_status()


if __name__ == "__main__":
    sys.exit(main())
