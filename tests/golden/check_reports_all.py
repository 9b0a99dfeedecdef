#!/usr/bin/env python3
"""Checks that no later command finds what `slipway check` does not: usage: check_reports_all.py SLIPWAY

Runs `check`, `create` and `quota` for all shipped examples and golden cases, with the options of the case. Each diagnostic
of `create` and `quota` must be one of `check`. If they succeed, those of `check` must be theirs, except what concerns the
local target alone. `check --target google` must fail exactly when they do.
"""
import concurrent.futures, json, os, pathlib, re, shlex, subprocess, sys, tempfile

sys.dont_write_bytecode = True  # keep the source tree clean
from run import HERE, ROOT, installed

LOCAL_ONLY = {"E0408"}
OTHER_OPTIONS = {"-w", "--overwrite-deployment"}  # not about the blueprint
OTHER_OPTIONS_WITH_VALUE = {"--format", "--diagnostics", "--output", "-o", "--target"}


def cases():
    """Folder, blueprint and options of everything that a user could check."""
    for path in sorted((ROOT / "examples").glob("*.yaml")):
        values = path.with_name(f"{path.stem}-deployment.yaml")
        if not path.stem.endswith("-deployment"):
            yield ROOT, f"examples/{path.name}", ["-d", f"examples/{values.name}"] if values.exists() else []
    for folder in ("blueprint", "mistakes", "create"):
        for path in sorted((HERE / folder).glob("*.yaml")):
            commands = re.findall(r"^# run: slipway \w+ \{\}(.*)$", path.read_text(), re.M)
            if re.match("ok-|fail-", path.name) and commands:
                yield path.parent, path.name, blueprint_options(shlex.split(commands[0]))


def blueprint_options(words):
    kept, is_value = [], False
    for word in words:
        name, _, value = word.partition("=")
        other = name in OTHER_OPTIONS or name in OTHER_OPTIONS_WITH_VALUE
        if not is_value and not other:
            kept.append(word)
        is_value = not is_value and name in OTHER_OPTIONS_WITH_VALUE and not value
    return kept


def run(slipway, folder, words):
    """Exit status, {(code, message, place)} and stderr."""
    done = subprocess.run([slipway, *words, "--diagnostics=json"], cwd=folder, capture_output=True, text=True, timeout=60)
    lines = [line for line in done.stderr.splitlines() if line.startswith("{")]
    found = json.loads(lines[0])["diagnostics"] if lines else []
    return done.returncode, {(d["code"], d["message"], json.dumps(d["place"])) for d in found}, done.stderr


def problems(slipway, folder, blueprint, options):
    if re.search("^machines:", (folder / blueprint).read_text(), re.M):
        return  # for machines that exist, not for a cloud
    status, checked, _ = run(slipway, folder, ["check", blueprint, *options])
    if status == 2:
        return  # a mistake in the command line, which is the same for all
    of_google, _, _ = run(slipway, folder, ["check", blueprint, *options, "--target=google"])
    with tempfile.TemporaryDirectory() as out:
        for verb, more in {"create": ["-o", out], "quota": []}.items():
            status, found, said = run(slipway, folder, [verb, blueprint, *options, *more])
            for code, message, _ in sorted(found - checked):
                yield f"only `{verb}` reports {code}: {message}"
            for code, message, _ in sorted(checked - found) if status == 0 else []:
                if code not in LOCAL_ONLY:
                    yield f"`{verb}` does not report {code}: {message}"
            if status != of_google:
                yield f"`{verb}` returns {status}, `check --target google` {of_google}: {said}"


def main():
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        slipway = installed(sys.argv[1], pathlib.Path(folder) / "prefix")
        everything = list(cases())
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            results = pool.map(lambda case: list(problems(slipway, *case)), everything)
            for (_, blueprint, _), found in zip(everything, results):
                failed += bool(found)
                for problem in found:
                    print(f"FAIL {blueprint}: {problem}")
    print(f"{len(everything)} blueprints, {failed} failed")
    return 1 if failed or not everything else 0


if __name__ == "__main__":
    sys.exit(main())
