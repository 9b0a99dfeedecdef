#!/usr/bin/env python3
"""Golden tests: compares the output of the commands in the first lines of each case with the expected output.

usage: run.py SLIPWAY [--every N] [NAME...]        SLIPWAY is the built program

--every N runs only every Nth case, for slow programs such as sanitized ones.

A case begins with lines `# run: slipway COMMAND {} [options]`; {} is the case's file. NAME.out has the expected output of
all commands. Cases are named ok-… if every command succeeds, otherwise fail-…. Those in blueprint/ and mistakes/ use the
modules of the source tree, those in commands/ the small modules next to them. A case in mistakes/ is a complete blueprint
with one common mistake, named in its comment. The output of `slipway expand` for an ok- case in blueprint/ is expanded again
and must not change. JSON on stdout that names a schema (slipway/NAME/1) must match docs/schemas/NAME-1.schema.json. Every
diagnostic code must occur in some expected text: here, in the unit tests or in tests/deploy. SLIPWAY_ACCEPT=1 rewrites the
expectations; it is refused if CI is set.
"""
import argparse, concurrent.futures, difflib, json, os, pathlib, re, shlex, shutil, subprocess, sys, tempfile

import jsonschema

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent


def installed(program, prefix, blueprints=ROOT / "blueprints"):
    """Creates a prefix as `meson install` does, with the modules of the source tree or others; returns the program."""
    (prefix / "bin").mkdir(parents=True)
    (prefix / "share/slipway").mkdir(parents=True)
    (prefix / "share/slipway/blueprints").symlink_to(blueprints)
    shutil.copy(program, prefix / "bin/slipway")
    return prefix / "bin/slipway"


def run(slipway, words, prefix, folder):
    environment = {k: v for k, v in os.environ.items() if k != "NO_COLOR"}
    environment["XDG_CACHE_HOME"] = str(prefix / "cache")
    done = subprocess.run([slipway, *words], cwd=folder, capture_output=True, text=True,
                          env=environment, timeout=60)
    text = "".join(f"--- {name}\n{out}" for name, out in (("stderr", done.stderr), ("stdout", done.stdout)) if out)
    return done, text.replace(str(prefix), "PREFIX") + f"--- exit status {done.returncode}\n"


def breaks_schema(stdout):
    """The error in a JSON document, by the schema that it names."""
    if not stdout.startswith('{\n  "schema": "slipway/'):
        return ""
    document = json.loads(stdout)
    name = document["schema"].removeprefix("slipway/").replace("/", "-")
    schema = json.loads((ROOT / f"docs/schemas/{name}.schema.json").read_text())
    validator = jsonschema.Draft202012Validator(schema)
    return "".join(f"{name}: {error.json_path}: {error.message}\n" for error in validator.iter_errors(document))


def transcript(slipway, case, prefix):
    """The output of the case's commands, whether all succeeded, and schema errors."""
    commands = re.findall(r"^# run: slipway (.*)$", case.read_text(), re.M)
    if not commands:
        raise SystemExit(f"{case.name}: no line `# run: slipway …`")
    text, fine, broken = "", True, ""
    for command in commands:
        done, shown = run(slipway, [word.replace("{}", case.name) for word in shlex.split(command)], prefix, case.parent)
        text += f"$ slipway {command.replace('{}', case.name)}\n{shown}"
        fine = fine and done.returncode == 0
        broken += breaks_schema(done.stdout)
    return text, fine, broken


def expands_to_itself(slipway, case, prefix):
    """Expanding an expanded blueprint must not change it, in YAML and in JSON."""
    options = re.search(r"^# run: slipway \w+ \{\}(.*)$", case.read_text(), re.M).group(1)
    options = re.sub(r"--format \w+", "", options)
    once, _ = run(slipway, ["expand", case.name, *shlex.split(options)], prefix, case.parent)
    if once.returncode != 0:
        return f"expand: {once.stderr}"
    again = prefix / f"{case.stem}-again.yaml"
    again.write_text(once.stdout)
    for form in ("yaml", "json"):
        twice, _ = run(slipway, ["expand", str(again), "--format", form], prefix, case.parent)
        again.write_text(twice.stdout)
    thrice, _ = run(slipway, ["expand", str(again)], prefix, case.parent)
    if thrice.stdout != once.stdout:
        return "".join(difflib.unified_diff(once.stdout.splitlines(True), (thrice.stdout + thrice.stderr).splitlines(True),
                                            "expanded", "expanded again"))
    return ""


def untested_codes():
    codes = re.findall(r'"([EW]\d{4})"', (ROOT / "launcher/source/codes.cc").read_text())
    tests = [*HERE.glob("*/*.out"), *(ROOT / "tests/unit").rglob("*_test.cc"), *(ROOT / "tests/deploy").glob("*.py")]
    seen = "".join(path.read_text() for path in tests)
    return [code for code in codes if code not in seen]


def main():
    accept = os.environ.get("SLIPWAY_ACCEPT") == "1"
    if accept and os.environ.get("CI"):
        sys.exit("SLIPWAY_ACCEPT is refused in CI")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("slipway")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--every", type=int, default=1)
    options = parser.parse_args()
    program, names = options.slipway, options.names
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        whole, small = pathlib.Path(folder) / "prefix", pathlib.Path(folder) / "small"
        prefixes = {"blueprint": whole, "mistakes": whole, "commands": small}
        with_all = installed(program, whole)
        programs = {"blueprint": with_all, "mistakes": with_all,
                    "commands": installed(program, small, HERE / "commands/library")}
        cases = sorted(c for name in prefixes for c in (HERE / name).glob("*.yaml") if re.match("ok-|fail-", c.name))
        cases = [case for case in cases if not names or case.stem in names][:: options.every]

        def check(case):
            prefix, slipway = prefixes[case.parent.name], programs[case.parent.name]
            got, fine, problem = transcript(slipway, case, prefix)
            problem += "" if fine == case.name.startswith("ok-") else "the name does not fit the exit status\n"
            expected = case.with_suffix(".out")
            if accept:
                expected.write_text(got)
            want = expected.read_text() if expected.exists() else ""
            problem += "".join(difflib.unified_diff(want.splitlines(True), got.splitlines(True), expected.name, "got"))
            if case.parent.name == "blueprint" and case.name.startswith("ok-") and not problem:
                problem = expands_to_itself(slipway, case, prefix)
            return problem

        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for case, problem in zip(cases, pool.map(check, cases)):
                failed += bool(problem)
                print(f"{'FAIL' if problem else 'ok  '} {case.parent.name}/{case.stem}\n{problem}", end="")
    for code in [] if names else untested_codes():
        failed += 1
        print(f"FAIL no test expects {code}")
    print(f"{len(cases)} cases, {failed} failed")
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
