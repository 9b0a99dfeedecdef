#!/usr/bin/env python3
"""Checks `slipway ledger`: usage: ledger.py SLIPWAY WRITE_LEDGER

WRITE_LEDGER writes a ledger with the program's own writer. Its lines must match docs/schemas/ledger-1.schema.json, which must
reject changed lines. The table, the JSON and the page must agree.
"""
import json, pathlib, subprocess, sys, tempfile

import jsonschema
import yaml

sys.dont_write_bytecode = True  # keep the source tree clean
from page import Page
from run import ROOT, breaks_schema, installed

TABLE = """\
job 7: done after 72 s, 2 attempts, 1 requeue, from 2026-11-21T12:00:00.000Z to 2026-11-21T12:01:12.000Z
goodput 0.417, 30 steps and 5 done again, GPU energy 1.000 kWh

time                                     of all
productive                        30 s   41.7 %
lost work                          5 s    6.9 %
detection                          4 s    5.6 %
recovery                           3 s    4.2 %
startup                           10 s   13.9 %
waiting                           20 s   27.8 %

lost to, and who was blamed       time   of all  failures  steps again
node gone, node                   37 s   51.4 %         1            5

blamed nodes
n2: node gone in attempt 1
  <b>no heartbeat</b> & no ping
"""


# One kWh in a region of 2024's table, which the test adds up by itself.
ENERGY = """\

CO2e in us-central1: 0.413 kg, at 412.72 g/kWh in 2024
cost of this energy: 0.12, at 0.12 for each kWh
source: Google Cloud, region-carbon-info, data/yearly/2024.csv, 49f3f26: https://github.com/GoogleCloudPlatform/region-carbon-info
GPU energy only: without processors, memory, network and cooling
"""


def energy_problems(run, ledger, silent):
    """What is wrong with CO2 and cost. `silent` is a ledger without energy."""
    problems = []
    told = run("7", "--region", "us-central1", "--price-per-kwh", "0.12")
    if told.stdout != TABLE + ENERGY:
        problems.append(f"{told}")
    data = run(str(ledger), "--json", "--region", "us-central1", "--compare-regions", "--price-per-kwh", "0.5")
    problems += [breaks_schema(data.stdout)] if breaks_schema(data.stdout) else []
    account = json.loads(data.stdout)
    rows = {row["region"]: row for row in account["emissions"]["regions"]}
    table = yaml.safe_load((ROOT / "blueprints/catalogue/carbon.yaml").read_text())["grams_per_kwh"]
    if ({name: row["grams_per_kwh"] for name, row in rows.items()} != table or account["cost"]["amount"] != 0.5
            or any(abs(row["kilograms"] * 1000 - table[name]) > 1e-9 for name, row in rows.items())):
        problems.append(data.stdout)
    compared = run("7", "--compare-regions").stdout.splitlines()
    if len([line for line in compared if line.split()[:1] and line.split()[0] in table]) != len(table):
        problems.append("\n".join(compared))
    unknown = run(str(silent), "--region", "us-central1", "--json")
    if json.loads(unknown.stdout)["emissions"]["regions"][0]["kilograms"] is not None:
        problems.append(unknown.stdout)
    if "energy unknown" not in run(str(silent), "--region", "us-central1").stdout:
        problems.append("energy that nobody measured is not unknown")
    for options, message in ((("--region", "us-cental1"), "did you mean `us-central1`?"), (("--region", "mars"), "`mars` is not known"),
                             (("--price-per-kwh", "cheap"), "`cheap` is not a price"), (("--price-per-kwh", "-1"), "not a price"),
                             (("--region", "us-west1", "--html", "-"), "--html does not show")):
        done = run("7", *options)
        if done.returncode != 2 or message not in done.stderr:
            problems.append(f"{options}: {done}")
    return problems


def changed(line):
    """Documents that are not valid ledger lines."""
    entry = json.loads(line)
    yield {**entry, "more": 1}
    yield {**entry, "event": "other"}
    yield {**entry, "time": "today"}
    for key in entry:
        yield {name: value for name, value in entry.items() if name != key}


def main():
    program, write_ledger = sys.argv[1:]
    problems = []
    validator = jsonschema.Draft202012Validator(json.loads((ROOT / "docs/schemas/ledger-1.schema.json").read_text()))
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        slipway = installed(program, folder / "prefix")
        ledger = folder / "slipway-ledger-7.jsonl"
        subprocess.run([write_ledger, ledger], check=True, timeout=60)

        def run(*options):
            return subprocess.run([slipway, "ledger", *options], capture_output=True, text=True, timeout=60, cwd=folder)

        for line in ledger.read_text().splitlines():
            problems += [f"{line}: {error.message}" for error in validator.iter_errors(json.loads(line))]
            problems += [f"accepted: {wrong}" for wrong in changed(line) if validator.is_valid(wrong)]

        table = run("7")
        if table.stdout != TABLE or table.returncode != 0:
            problems.append(f"{table.stdout}{table.stderr}")
        data = run(str(ledger), "--json")
        problems += [breaks_schema(data.stdout)] if breaks_schema(data.stdout) else []
        account = json.loads(data.stdout)
        if sum(account["seconds"].values()) != 72 or account["causes"][0]["lost_seconds"] != 37:
            problems.append(data.stdout)

        page = run("7", "--html", "-").stdout
        seen = Page(page)
        # Nine phases, three nodes in two attempts; one failure, marked in the bar and at its node; a tick every 10 s.
        if (seen.open or seen.fetched or seen.count["rect"] != 15 or "b" in seen.count or "&lt;b&gt;" not in page
                or page.count('class="failure"') != 1 or page.count('class="blamed"') != 1 or ">40 s</text>" not in page
                or "SLIPWAY_PROGRESS" in page):
            problems.append(f"the page: {seen.open} {seen.fetched} {seen.count}\n{page}")

        silent = folder / "slipway-ledger-9.jsonl"
        silent.write_text("".join(line + "\n" for line in ledger.read_text().replace('"7"', '"9"').splitlines() if '"progress"' not in line))
        if "$SLIPWAY_PROGRESS" not in run("9", "--html", "-").stdout:
            problems.append("no hint for a program that reports no steps")

        unmeasured = folder / "slipway-ledger-10.jsonl"
        unmeasured.write_text("".join(line + "\n" for line in ledger.read_text().replace('"7"', '"10"').splitlines() if '"energy"' not in line))
        problems += energy_problems(run, ledger, unmeasured)

        with ledger.open("a") as file:
            file.write('{"schema":')
        torn = run("7")
        if torn.stdout != TABLE or "is incomplete and was ignored" not in torn.stderr:
            problems.append(f"torn: {torn}")
        for options, message in ((("8",), "slipway-ledger-8.jsonl"), (("7", "--json", "--html", "-"), "exclude each other"),
                                 ((".",), "."), (("/dev/null",), "/dev/null")):
            done = run(*options)
            if done.returncode not in (1, 2) or message not in done.stderr or done.stdout:
                problems.append(f"{options}: {done}")
    print(*problems, sep="\n")
    print(f"{len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
