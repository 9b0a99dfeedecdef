#!/usr/bin/env python3
"""Golden tests of `slipway create`: usage: create.py SLIPWAY [NAME...]

A case in create/ begins with lines `# run: slipway create {} [options]`; {} is the case's file, and `-o FOLDER` is added.
NAME.out has the output and all files in the folder. A case with one command runs again in another folder, which must get
the same bytes; so must a deployment created from the expanded blueprint in it. Cases are named ok-… if every command
succeeds, otherwise fail-…. Uses the modules of the source tree. SLIPWAY_ACCEPT=1 rewrites the expectations; it is refused
if CI is set.
"""
import concurrent.futures, difflib, os, pathlib, re, shlex, subprocess, sys, tempfile

sys.dont_write_bytecode = True  # keep the source tree clean
from run import HERE, breaks_schema, installed


def create(slipway, case, folder, words):
    words = [word.replace("{}", case.name) for word in shlex.split(words)]
    return subprocess.run([slipway, "create", *words, "-o", folder], cwd=case.parent, capture_output=True, text=True,
                          timeout=60, env={**os.environ, "NO_COLOR": "1"})


def tree(folder):
    """All files in a folder, by path."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def shown(files):
    for name, data in files.items():
        text = data.decode()
        yield f"=== {name}\n{text}" + ("" if text.endswith("\n") or not text else "\n(no line feed at the end)\n")


def of_expanded(slipway, case, folder, files, other):
    """The differences if the expanded blueprint in the folder is created. Staged files are relative to the case."""
    expanded = next(folder.glob("*/.slipway/blueprint.yaml"))
    if any("/.ghpc/" in name for name in files):
        return ""
    done = create(slipway, case, other, shlex.quote(str(expanded)))
    if done.returncode != 0:
        return f"the expanded blueprint cannot be created: {done.stderr}"
    return "" if tree(other) == files else "the expanded blueprint becomes other files\n"


def check(slipway, case, prefix):
    """The output and files of the case's commands, and problems that are errors in any case."""
    commands = re.findall(r"^# run: slipway create (.*)$", case.read_text(), re.M)
    if not commands:
        raise SystemExit(f"{case.name}: no line `# run: slipway create …`")
    text, problem, fine = "", "", True
    with tempfile.TemporaryDirectory() as name:
        first, second = pathlib.Path(name) / "first", pathlib.Path(name) / "second"
        first.mkdir()
        for words in commands:
            done = create(slipway, case, first, words)
            text += f"$ slipway create {words.replace('{}', case.name)} -o FOLDER\n{done.stderr}{done.stdout}"
            text += f"exit status {done.returncode}\n"
            fine = fine and done.returncode == 0
        files = tree(first)
        text = text.replace(str(first), "FOLDER").replace(str(prefix), "PREFIX") + "".join(shown(files))
        if len(commands) == 1 and fine:
            create(slipway, case, second, commands[0])
            if tree(second) != files:
                problem += "a second run writes other bytes\n"
            problem += of_expanded(slipway, case, first, files, pathlib.Path(name) / "third")
        for name, data in files.items():
            if name.endswith("/.slipway/deployment.json"):
                problem += breaks_schema(data.decode())
        if any(str(first).encode() in data or str(prefix).encode() in data for data in files.values()):
            problem += "a file names a folder of this machine\n"
    if fine != case.name.startswith("ok-"):
        problem += "the name does not fit the exit status\n"
    return text, problem


def main():
    accept = os.environ.get("SLIPWAY_ACCEPT") == "1"
    if accept and os.environ.get("CI"):
        sys.exit("SLIPWAY_ACCEPT is refused in CI")
    program, names = sys.argv[1], sys.argv[2:]
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        prefix = pathlib.Path(folder) / "prefix"
        slipway = installed(program, prefix)
        cases = sorted(c for c in (HERE / "create").glob("*.yaml") if re.match("ok-|fail-", c.name))
        cases = [case for case in cases if not names or case.stem in names]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for case, (got, problem) in zip(cases, pool.map(lambda case: check(slipway, case, prefix), cases)):
                expected = case.with_suffix(".out")
                if accept:
                    expected.write_text(got)
                want = expected.read_text() if expected.exists() else ""
                problem += "".join(difflib.unified_diff(want.splitlines(True), got.splitlines(True), expected.name, "got"))
                failed += bool(problem)
                print(f"{'FAIL' if problem else 'ok  '} {case.stem}\n{problem}", end="")
    print(f"{len(cases)} cases, {failed} failed")
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
