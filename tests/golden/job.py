#!/usr/bin/env python3
"""Golden tests of `slipway job show` and `slipway job convert`: usage: job.py SLIPWAY [NAME...]

A case in tests/golden/job begins with lines `# run: slipway job … {}`; run.py says more about such lines. Every manifest is compared with the
strict schemas of Kubernetes, JobSet and Kueue, and `slipway check` applies the rules of JobSet's webhook to it; a custom job of Vertex AI with
the descriptions of its messages. SLIPWAY_ACCEPT=1 rewrites the expectations.
"""
import difflib, json, os, pathlib, re, sys, tempfile

import jsonschema
import yaml

sys.dont_write_bytecode = True  # keep the source tree clean
from checks import exit_status, same
from run import ROOT, installed, run, transcript
import vertex

HERE = ROOT / "tests/golden/job"
BLUEPRINT = """blueprint_name: manifests
vars: {{deployment_name: manifests, project_id: my-project, region: us-central1}}
deployment_groups:
- group: primary
  modules:
  - id: software
    source: modules/management/kubectl-apply
    settings:
      cluster_id: projects/my-project/locations/us-central1/clusters/training
      apply_manifests: [{{source: "{}"}}]
"""


def with_references(schema):
    """The schema with references that jsonschema understands: ours name a definition only."""
    if isinstance(schema, dict):
        return {key: f"#/definitions/{value}" if key == "$ref" else with_references(value) for key, value in schema.items()}
    return [with_references(each) for each in schema] if isinstance(schema, list) else schema


def validators():
    file = json.loads((ROOT / "blueprints/catalogue/kubernetes_schemas.json").read_text())
    definitions = with_references(file["definitions"])
    return {schema["properties"]["kind"]["const"]: jsonschema.Draft7Validator({**with_references(schema), "definitions": definitions})
            for schema in file["kinds"]}


def manifests(text):
    """What the commands of a transcript printed as YAML."""
    return re.findall(r"^--- stdout\n((?:# |\{).*\n(?:.*\n)*?)(?=--- exit status)", text, re.M)


def check_manifest(name, text, known, slipway, prefix):
    objects = list(yaml.safe_load_all(text))
    if "jobSpec" in objects[0]:
        same(f"{name}: custom job", vertex.wrong(objects[0]) + vertex.rules(objects[0]), [])
        return
    if "kind" not in objects[0]:  # `slipway job show --json`
        return
    if objects[0]["kind"] == "ConfigMap":
        same(f"{name}: kinds", [each["kind"] for each in objects], ["ConfigMap", "JobSet"])
    for each in objects:
        same(f"{name}: {each['kind']}", [f"{error.json_path}: {error.message}" for error in known[each["kind"]].iter_errors(each)], [])
    (prefix / "manifest.yaml").write_text(text)
    (prefix / "blueprint.yaml").write_text(BLUEPRINT.format(prefix / "manifest.yaml"))
    done, _ = run(slipway, ["check", "blueprint.yaml"], prefix, prefix)
    found = [line for line in done.stderr.splitlines() if re.match(r"(error|warning)\[", line) and "no manifest" not in line
             and "install: true" not in line]
    same(f"{name}: check", found, [])


def main():
    accept = os.environ.get("SLIPWAY_ACCEPT") == "1"
    if accept and os.environ.get("CI"):
        sys.exit("SLIPWAY_ACCEPT is refused in CI")
    known = validators()
    count = 0
    with tempfile.TemporaryDirectory() as folder:
        prefix = pathlib.Path(folder) / "prefix"
        slipway = installed(sys.argv[1], prefix)
        for case in sorted([*HERE.glob("*.sbatch"), *HERE.glob("*.txt")]):
            if sys.argv[2:] and case.stem not in sys.argv[2:]:
                continue
            got, fine, problem = transcript(slipway, case, prefix)
            same(f"{case.stem}: schema", problem, "")
            same(f"{case.stem}: succeeds", fine, case.name.startswith("ok-"))
            golden = case.with_suffix(".out")
            if accept:
                golden.write_text(got)
            want = golden.read_text() if golden.exists() else ""
            same(f"{case.stem}: output", "".join(difflib.unified_diff(want.splitlines(True), got.splitlines(True), "expected", "got")), "")
            for text in manifests(got):
                count += 1
                check_manifest(case.stem, text, known, slipway, prefix)
    same("there are manifests", count > 0, True)
    return exit_status()


if __name__ == "__main__":
    sys.exit(main())
