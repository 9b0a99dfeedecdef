#!/usr/bin/env python3
"""Runs what `slipway create` writes: usage: create_runs.py SLIPWAY terraform|packer PROGRAM

terraform: deploys create/ok-groups.yaml with the commands in its instructions.txt, with modules that need no cloud. Values
  must pass between the groups. After overwriting it with -w, there must be no changes; a deployed group cannot be removed,
  others can.
packer: `packer validate` must pass for all Packer groups in the ok- blueprints of create/.
"""
import json, os, pathlib, re, shlex, subprocess, sys, tempfile

sys.dont_write_bytecode = True  # keep the source tree clean
from run import HERE, installed

CREATE = HERE / "create"
FLAGS = {"init": ["-input=false"], "apply": ["-auto-approve", "-input=false"], "destroy": ["-auto-approve"]}


class Runner:
    def __init__(self, slipway, program, folder):
        self.slipway, self.program, self.folder = slipway, program, folder
        self.deployment = folder / "groups"

    def create(self, blueprint, *options):
        return subprocess.run([self.slipway, "create", blueprint, "-o", self.folder, *options], cwd=CREATE,
                              capture_output=True, text=True, timeout=60)

    def shell(self, command):
        """Runs one command of the instructions, with PROGRAM instead of Terraform."""
        for verb, flags in FLAGS.items():
            command = re.sub(rf"^(\s*terraform .*) {verb}$", rf"\1 {verb} -no-color {' '.join(flags)}", command)
        command = re.sub(r"\bterraform -chdir", f"{shlex.quote(self.program)} -chdir", command)
        done = subprocess.run(["bash", "-c", "set -o pipefail\n" + command], cwd=self.deployment, capture_output=True,
                              text=True, timeout=300)
        return "" if done.returncode == 0 else f"{command}\n{done.stdout}{done.stderr}"

    def instructions(self):
        """The commands that deploy, and those that destroy."""
        text = (self.deployment / "instructions.txt").read_text().replace("\\\n", "")
        make, down = text.split("How to destroy it")
        return tuple([line for line in part.splitlines() if line.startswith("  ")] for part in (make, down))

    def terraform(self, group, *words):
        return subprocess.run([self.program, f"-chdir={group}", *words], cwd=self.deployment, capture_output=True,
                              text=True, timeout=300)

    def plan(self):
        """The changes in the plan; there should be none."""
        for group in ("one", "two", "three"):
            done = self.terraform(group, "plan", "-detailed-exitcode", "-input=false", "-no-color")
            if done.returncode != 0:
                yield f"plan of {group}: {done.stdout}{done.stderr}"

    def output(self):
        done = self.terraform("three", "output", "-json")
        return json.loads(done.stdout)["object_last"]["value"] if done.returncode == 0 else done.stderr


def terraform_problems(runner):
    case = CREATE / "ok-groups.yaml"
    written = case.read_text()
    smaller = runner.folder / "smaller.yaml"
    smaller.write_text(written.split("- group: three")[0])
    done = runner.create(case)
    if done.returncode != 0:
        yield done.stderr
        return
    make, down = runner.instructions()
    if len(make) < 8 or len(down) != 3:
        yield f"too few commands: {make} {down}"
    for command in make:
        problem = runner.shell(command)
        yield problem
        if problem:
            return
    text = "costs $${each.value} of it's ${me}-0"
    expected = {"texts": [f"{text}/2/{text} and it's ${{me}}", "second"]}
    if runner.output() != expected:
        yield f"the last group has {runner.output()}, not {expected}"
    yield from runner.plan()
    (runner.deployment / "one/notes.txt").write_text("mine")
    done = runner.create(case, "-w")
    if done.returncode != 0:
        yield done.stderr
    if (runner.deployment / "one/notes.txt").read_text() != "mine":
        yield "a file of the user's is lost"
    yield from runner.plan()
    done = runner.create(smaller, "-w")
    if done.returncode != 1 or "is deployed: its state has 6 resources" not in done.stderr:
        yield f"a group that is deployed can be dropped: {done.stderr}"
    yield from runner.plan()
    yield runner.shell(down[0])
    done = runner.create(smaller, "-w")
    if done.returncode != 0 or (runner.deployment / "three").exists():
        yield f"a group that is destroyed cannot be dropped: {done.stderr}"
    for command in down[1:]:
        yield runner.shell(command)


def packer_problems(runner):
    groups = 0
    for case in sorted(CREATE.glob("ok-*.yaml")):
        out = runner.folder / case.stem
        subprocess.run([runner.slipway, "create", case, "-o", out], cwd=CREATE, capture_output=True, timeout=60)
        for record in out.glob("*/.slipway/deployment.json"):
            for group in json.loads(record.read_text())["groups"]:
                if group["kind"] != "packer":
                    continue
                groups += 1
                folder = record.parent.parent / group["group"]
                taken = {name: "value" for name in group.get("late_settings", group["inputs"])}
                (folder / "inputs.pkrvars.json").write_text(json.dumps(taken))
                values = [f"-var-file={group['packer_values']}"] if "packer_values" in group else []
                done = subprocess.run([runner.program, "validate", *values, "-var-file=inputs.pkrvars.json",
                                       group["packer_target"]], cwd=folder, capture_output=True, text=True, timeout=120,
                                      env={**os.environ, "CHECKPOINT_DISABLE": "1"})
                if done.returncode != 0:
                    yield f"{case.stem}: {done.stdout}{done.stderr}"
    if groups < 4:
        yield f"only {groups} groups of Packer"


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        runner = Runner(installed(sys.argv[1], folder / "prefix"), sys.argv[3], folder)
        find = {"terraform": terraform_problems, "packer": packer_problems}[sys.argv[2]]
        problems = [problem for problem in find(runner) if problem]
    print(*problems, sep="\n")
    print(f"{len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
