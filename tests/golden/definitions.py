#!/usr/bin/env python3
"""Checks what `slipway create` writes against the providers' schema and cloud_rules.py: usage: definitions.py SLIPWAY [BLUEPRINT...]

Checks the named blueprints; by default, every ok- blueprint in create/ and all examples. The only allowed error in an
example is a module that cannot be created yet. Bash parses every script. If Terraform is installed, it parses all
expressions, so functions and their numbers of arguments are checked.
"""
import concurrent.futures, json, os, pathlib, re, shutil, subprocess, sys, tempfile

sys.dont_write_bytecode = True  # keep the source tree clean
from cloud_rules import check_deployment
from provider_schema import check_folder, rendered, texts
from run import HERE, ROOT, installed
from toolkit_modules import check_calls


def create(slipway, blueprint, folder):
    deployment = blueprint.with_name(f"{blueprint.stem}-deployment.yaml")
    words = ["-d", deployment] if deployment.exists() else []
    return subprocess.run([slipway, "create", blueprint, *words, "-o", folder, "-l", "IGNORE"], cwd=blueprint.parent,
                          capture_output=True, text=True, timeout=60, env={**os.environ, "NO_COLOR": "1"})


def check(slipway, blueprint):
    """Whether the blueprint can be created, and problems in the definitions."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name) / "out"
        done = create(slipway, blueprint, folder)
        if done.returncode != 0:
            errors = re.findall(r"^error.*", done.stderr, re.M)
            other = [error for error in errors if not re.search("has no resources yet|there is no file .* in the library", error)]
            return False, other if errors else [done.stderr]
        groups = sorted({file.parent for file in folder.rglob("*.tf.json")})
        if not groups:
            return True, ["nothing was written"]
        problems = [f"{group.name}: {problem}" for group in groups for problem in check_folder(group)]
        problems += [f"{group.name}: {problem}" for group in groups for problem in check_calls(group)]
        problems += check_deployment(folder)
        problems += script_problems(folder)
        terraform = shutil.which("terraform")
        return True, problems + (terraform_problems(terraform, folder) if terraform else [])


def script_problems(folder):
    """Bash's errors about the scripts in a folder, with a placeholder for unknown values."""
    for file in sorted(folder.rglob("*.tf.json")):
        for text in texts(json.loads(file.read_text())):
            if text.startswith("#!/bin/bash"):
                done = subprocess.run(["bash", "-n"], input=rendered(text, "value"), capture_output=True, text=True)
                if done.returncode != 0:
                    yield f"{file.name}: {done.stderr.splitlines()[0]}"


def terraform_problems(terraform, folder):
    """Terraform's errors about the expressions in a folder, as locals of a module without resources."""
    module = folder / "expressions"
    module.mkdir()
    found = {text for file in folder.rglob("*.tf.json") for text in texts(json.loads(file.read_text())) if "${" in text}
    locals_ = {f"expression_{i}": text for i, text in enumerate(sorted(found))}
    (module / "main.tf.json").write_text(json.dumps({"locals": locals_}))
    subprocess.run([terraform, "init", "-backend=false"], cwd=module, capture_output=True, timeout=60)
    done = subprocess.run([terraform, "validate", "-json"], cwd=module, capture_output=True, text=True, timeout=60)
    # Resources, and files that are read during deployment, do not exist here.
    expected = re.compile(r"Reference to undeclared|no such file or directory|no file exists")
    return [f"Terraform: {said['summary']}: {said['detail']}" for said in json.loads(done.stdout)["diagnostics"]
            if said["severity"] == "error" and not expected.search(said["summary"] + said["detail"])]


def main():
    named = [pathlib.Path(name).resolve() for name in sys.argv[2:]]
    ours = sorted((HERE / "create").glob("ok-*.yaml"))
    examples = sorted(path for path in (ROOT / "examples").glob("*.yaml") if not path.stem.endswith("-deployment") and "\nmachines:" not in path.read_text())
    failed = created = 0
    with tempfile.TemporaryDirectory() as folder:
        slipway = installed(sys.argv[1], pathlib.Path(folder) / "prefix")
        blueprints = named or ours + examples
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for blueprint, (fine, problems) in zip(blueprints, pool.map(lambda b: check(slipway, b), blueprints)):
                if not fine and blueprint in ours:
                    problems = ["it cannot be created", *problems]
                created += fine
                failed += bool(problems)
                print(f"{'FAIL' if problems else 'ok  ' if fine else 'none'} {blueprint.stem}", *problems, sep="\n     ")
    print(f"{created} of {len(blueprints)} blueprints were created, {failed} failed")
    return 1 if failed or not created else 0


if __name__ == "__main__":
    sys.exit(main())
