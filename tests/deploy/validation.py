#!/usr/bin/env python3
"""`terraform validate` of the groups of a deployment, without credentials: validation.py TERRAFORM tests it with groups of its own."""
import json, os, pathlib, subprocess, sys, tempfile

sys.dont_write_bytecode = True  # keep the source tree clean
# Validation reads no cloud: neither its credentials nor its address may matter.
OF_THE_CLOUD = ("GOOGLE_", "GCLOUD_", "CLOUDSDK_")


def run(terraform, group, data, *words, **more):
    environment = {name: value for name, value in os.environ.items() if not name.startswith(OF_THE_CLOUD)}
    return subprocess.run([terraform, f"-chdir={group}", *words], capture_output=True, text=True, timeout=600,
                          env={**environment, "TF_DATA_DIR": str(data), "CHECKPOINT_DISABLE": "1", "TF_IN_AUTOMATION": "1", **more})


def findings(terraform, out, **variables):
    """What Terraform and its providers find wrong with each group's definitions, as lines; none if all are right."""
    for group in sorted({file.parent for file in pathlib.Path(out).glob("*/*.tf.json")}):
        with tempfile.TemporaryDirectory() as name:
            data = pathlib.Path(name)
            lock = group / ".terraform.lock.hcl"
            had_lock = lock.exists()
            begun = run(terraform, group, data, "init", "-backend=false", "-input=false", "-no-color", **variables)
            if begun.returncode != 0:
                yield f"{group.name}: terraform init: {begun.stderr.strip()}"
                continue
            answer = json.loads(run(terraform, group, data, "validate", "-json", **variables).stdout)
            for one in answer["diagnostics"]:
                place = one.get("range") or {"filename": "", "start": {"line": 0}}
                yield f"{group.name}/{place['filename']}:{place['start']['line']}: {one['severity']}: {one['summary']}: {one['detail']}"
            if not had_lock:
                lock.unlink(missing_ok=True)


def main():
    terraform = sys.argv[1]
    right = {"resource": {"terraform_data": {"a": {"input": "x"}}}, "output": {"a": {"value": "${terraform_data.a.output}"}}}
    wrong = {"resource": {"terraform_data": {"a": {"imput": "x"}}}, "output": {"b": {"value": "${terraform_data.c.output}"}}}
    with tempfile.TemporaryDirectory() as name:
        out = pathlib.Path(name)
        for group, body in (("one", right), ("two", wrong)):
            (out / group).mkdir()
            (out / group / "main.tf.json").write_text(json.dumps(body))
        os.environ["GOOGLE_PROJECT"] = "must-not-matter"
        said = list(findings(terraform, out))
        left = sorted(str(path.relative_to(out)) for path in out.rglob("*") if path.is_file())
    failed = not (len(said) >= 2 and all(line.startswith("two/main.tf.json:1: error: ") for line in said)
                  and any("imput" in line for line in said) and any("terraform_data" in line and '"c"' in line for line in said)
                  and left == ["one/main.tf.json", "two/main.tf.json"])
    print(f"{'FAIL' if failed else 'ok  '} validation finds mistakes in the right group, and leaves nothing behind")
    if failed:
        print("\n".join([*said, *left]))
    print(f"1 cases, {int(failed)} failed")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
