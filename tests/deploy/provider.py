#!/usr/bin/env python3
"""Deploys with Google's own Terraform provider against the stand-in: provider.py SLIPWAY [TERRAFORM | --providers]

Each group of each example is validated, without credentials. Then each example is deployed, planned again and destroyed; days.yaml
is changed as in days.py in between. SLIPWAY_PROVIDER_MIRROR is
the folder of the providers (README.md). Without it, or without TERRAFORM, only what needs no provider is checked: that each day's
blueprint can be created and changes the definitions. --providers prints a configuration for `terraform providers mirror`.
"""
import contextlib, json, os, pathlib, re, subprocess, sys, tempfile

sys.dont_write_bytecode = True  # keep the source tree clean
HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(ROOT / "tests/golden"), str(ROOT / "tests/fakes/google")]
from control import left
from days import DAYS, changed
from run import installed
from serve import ENDPOINTS, ByPath, start
from validation import findings

EXAMPLES = sorted(path for path in (ROOT / "examples").glob("*.yaml") if not path.stem.endswith("-deployment"))


# Services that the stand-in does not have; no example needs them.
NOT_IN_THE_STAND_IN = {f"{name}.googleapis.com" for name in (
    "artifactregistry", "container", "iap", "monitoring", "parallelstore", "redis", "run", "spanner")}


class Failed(Exception):
    pass


class Deployment:
    """A blueprint and the folder in which it is deployed."""

    def __init__(self, slipway, folder, blueprint, variables):
        self.slipway, self.folder, self.environment = slipway, folder, {**os.environ, "NO_COLOR": "1", **variables}
        self.blueprint = blueprint

    def run(self, *words):
        done = subprocess.run([self.slipway, *map(str, words)], cwd=self.folder, capture_output=True, text=True, timeout=1800,
                              env=self.environment)
        if done.returncode != 0:
            raise Failed(f"slipway {' '.join(map(str, words))}: {done.stderr}{done.stdout}")
        return done.stdout

    def create(self, *options):
        self.run("create", self.blueprint, "-w", "-o", "out", "-l", "IGNORE", *options)
        return next((self.folder / "out").iterdir())

    def settings_of_terraform(self):
        """Where Terraform is and takes its providers from, without the cloud's address."""
        return {name: self.environment[name] for name in ("PATH", "TF_CLI_CONFIG_FILE") if name in self.environment}

    def plan(self, *options):
        """The changes that a plan shows, as {address: action}."""
        groups = json.loads(self.run("plan", "--json", *options))["groups"]
        return {change["address"]: change["action"] for group in groups for change in group["changes"]
                if not change["address"].startswith("output.")}


def values_of(example):
    file = example.with_name(f"{example.stem}-deployment.yaml")
    return ["-d", file] if file.exists() else []


def nothing_changes(deployment, out, when):
    changes = deployment.plan(out, "--terraform")
    if changes:
        raise Failed(f"{when}, a second plan changes {changes}")


def first_day(folder):
    """A copy of days.yaml that can be changed."""
    copy = folder / "days.yaml"
    copy.write_text((HERE / "days.yaml").read_text())
    return copy


def is_valid(deployment, out, when=""):
    """Whether the provider takes the definitions of every group, before anything is planned."""
    found = list(findings("terraform", out, **deployment.settings_of_terraform()))
    if found:
        raise Failed("\n".join([f"terraform validate{when}:", *found]))


def deploy_example(deployment, example):
    out = deployment.create(*values_of(example))
    is_valid(deployment, out)
    deployment.run("deploy", out, "--auto-approve")
    nothing_changes(deployment, out, "after the deploy")
    deployment.run("destroy", out, "--auto-approve")


def live_through_days(deployment):
    out = deployment.create()
    is_valid(deployment, out)
    deployment.run("deploy", out, "--auto-approve")
    nothing_changes(deployment, out, "after the deploy")
    for what, edits in DAYS:
        deployment.blueprint.write_text(changed(deployment.blueprint.read_text(), edits))
        deployment.create()
        is_valid(deployment, out, f" after {what}")
        foretold, planned = deployment.plan(out), deployment.plan(out, "--terraform")
        if foretold != planned:
            raise Failed(f"{what}: `slipway plan` says {foretold}, Terraform {planned}")
        deployment.run("deploy", out, "--auto-approve")
        nothing_changes(deployment, out, what)
    deployment.run("destroy", out, "--auto-approve")


@contextlib.contextmanager
def stand_in(folder, mirror):
    """A cloud of its own, and the variables that lead Terraform and its provider there."""
    (folder / "cloud").mkdir()
    config = folder / "terraform.rc"
    config.write_text(f'provider_installation {{\n  filesystem_mirror {{\n    path = "{mirror}"\n  }}\n}}\n')
    server, variables = start(folder / "cloud")
    ByPath.cloud.instances.waiting = False
    try:
        yield ByPath.cloud, {**variables, "TF_CLI_CONFIG_FILE": str(config), "CHECKPOINT_DISABLE": "1"}
    finally:
        server.shutdown()


def with_provider(slipway, terraform, mirror, folder):
    """The problems of each case, by its name."""
    cases = [(example, lambda one, example=example: deploy_example(one, example)) for example in EXAMPLES]
    cases.append((first_day(folder), live_through_days))
    path = f"{pathlib.Path(terraform).parent}:{os.environ['PATH']}"
    for blueprint, work in cases:
        name = blueprint.stem
        place = folder / "deployed" / name
        place.mkdir(parents=True)
        with stand_in(place, mirror) as (cloud, variables):
            try:
                work(Deployment(slipway, place, blueprint, {**variables, "PATH": path}))
                yield name, f"left in the cloud: {left(cloud)}" if left(cloud) else ""
            except (Failed, ValueError, subprocess.TimeoutExpired) as error:
                yield name, str(error)


def without_provider(slipway, folder):
    """Whether each day can be created, and changes what is in the definitions."""
    yield "endpoints", "\n".join(endpoint_problems())
    deployment = Deployment(slipway, folder, first_day(folder), {})
    before = {}
    for what, edits in [("the first day", []), *DAYS]:
        try:
            deployment.blueprint.write_text(changed(deployment.blueprint.read_text(), edits))
            group = deployment.create() / "primary"
            after = {path: path.read_bytes() for path in group.rglob("*") if path.is_file()}
            yield what, "" if after != before else "the definitions stay the same"
            before = after
        except (Failed, ValueError) as error:
            yield what, str(error)


def endpoint_problems():
    """The README lists the variables of serve.py, and they lead to every service that resources of modules need."""
    listed = set(re.findall(r"GOOGLE_(\w+)_CUSTOM_ENDPOINT", (HERE / "README.md").read_text()))
    if listed != set(ENDPOINTS):
        yield f"README.md and serve.py differ in {sorted(listed ^ set(ENDPOINTS))}"
    services = set(re.findall(r"service: ([\w.]+)", (ROOT / "blueprints/catalogue/services.yaml").read_text()))
    for service in sorted(services - {place.split("/")[0] for place in ENDPOINTS.values()} - NOT_IN_THE_STAND_IN):
        yield f"no variable of serve.py leads to {service}"


def providers_of_all(slipway, folder):
    """A Terraform configuration that needs every provider of the examples and of days.yaml, to mirror them."""
    needed = {}
    for blueprint in [*EXAMPLES, first_day(folder)]:
        place = folder / "needed" / blueprint.stem
        place.mkdir(parents=True)
        out = Deployment(slipway, place, blueprint, {}).create(*values_of(blueprint))
        for file in out.glob("*/versions.tf.json"):
            for name, entry in json.loads(file.read_text())["terraform"].get("required_providers", {}).items():
                needed.setdefault(name, (entry["source"], set()))[1].add(entry["version"])
    return {"terraform": {"required_providers": {
        name: {"source": source, "version": ", ".join(sorted(versions))} for name, (source, versions) in sorted(needed.items())}}}


def main():
    # Without a program, only what needs no provider is tested.
    mirror = os.environ.get("SLIPWAY_PROVIDER_MIRROR") if len(sys.argv) > 2 else None
    failed = count = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        slipway = installed(sys.argv[1], folder / "prefix")
        if sys.argv[2:] == ["--providers"]:
            print(json.dumps(providers_of_all(slipway, folder), indent=2))
            return 0
        results = with_provider(slipway, sys.argv[2], mirror, folder) if mirror else without_provider(slipway, folder)
        for case, problem in results:
            count += 1
            failed += bool(problem)
            print(f"{'FAIL' if problem else 'ok  '} {case}\n{problem}".rstrip(), flush=True)
    if not mirror:
        print("not run with the provider: no mirror is given (tests/deploy/README.md)")
    print(f"{count} cases, {failed} failed")
    return 1 if failed or not count else 0


if __name__ == "__main__":
    sys.exit(main())
