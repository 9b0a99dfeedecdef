"""Cases of deploy.py with the real Terraform."""
import fcntl, json, os, shutil, signal, stat

import jsonschema

from case import ROOT, has, has_not, same

CALLS = [f"{group} {verb}" for group, verbs in (("one", "init plan show apply"),
                                               ("two", "init plan show apply"),
                                               ("three", "init plan show apply"))
         for verb in verbs.split()]
CALLS.insert(4, "one output")
CALLS.insert(9, "two output")


def three_groups_in_order(new):
    case = new("three.yaml")
    said = case.deploy()
    case.is_done()
    same("calls", [call for call in case.calls() if "version" not in call], CALLS)
    has_not("message", said, "hush")
    has("message", said, "two: 1 to add\n  outputs new: text_second\n  module second\n")
    for text in [(case.deployment / f".slipway/log/{g}.log").read_text() for g in ("one", "two", "three")]:
        has_not("a log", text, "hush")
    for name, mode in {".": 0o700, ".slipway": 0o700, ".slipway/blueprint.yaml": 0o600, ".slipway/journal.json": 0o600,
                       ".slipway/log/one.log": 0o600, "two/terraform.tfvars.json": 0o600,
                       "two/terraform.tfstate": 0o600}.items():
        same(f"mode of {name}", stat.S_IMODE((case.deployment / name).stat().st_mode), mode)
    variables = json.loads((case.deployment / "two/variables.tf.json").read_text())["variable"]
    same("secrets between groups", {n: v.get("sensitive", False) for n, v in variables.items()},
         {"secret_first": True, "text_first": False})
    # The variable of the next group, which depends on a secret of this one.
    third = json.loads((case.deployment / "three/variables.tf.json").read_text())["variable"]
    same("the variable of the last group", list(third), ["text_second"])


def deploying_again_changes_nothing(new):
    case = new("three.yaml")
    case.deploy()
    before = sorted(p.read_bytes() for p in case.deployment.rglob("*.tf.json"))
    said = case.deploy()
    case.is_done()
    for group in ("one", "two", "three"):
        has("second deploy", said, f"{group}: up to date")
    said = case.run("deploy", "./three").stderr  # no question
    has("deploy of the folder", said, "deployment `three` is done")
    same("definitions", sorted(p.read_bytes() for p in case.deployment.rglob("*.tf.json")), before)


def killed_before(number, deaf=False):
    """`deaf`: Terraform ignores the death of slipway and continues."""
    def killed(new):
        case = new("three.yaml")
        if deaf:
            case.touch("deaf")
        case.kill_at_call(number, "deploy", "blueprint.yaml", "--target", "google", "--auto-approve")
        said = case.deploy()
        case.is_done()
        done_before = {"two": ["one"], "three": ["one", "two"]}.get(CALLS[number - 2].split()[0], [])
        if CALLS[number - 2] in ("one output", "two output"):
            done_before = ["one"] if "one" in CALLS[number - 2] else ["one", "two"]
        for group in ("one", "two", "three"):
            (has if group in done_before else has_not)(f"{group}, killed at {CALLS[number - 2]}", said,
                                                       f"{group}: already applied before")
    killed.__name__ = f"killed_before_call_{number}{'_and_terraform_continues' if deaf else ''}"
    return killed


def killed_while_creating(step, terraform_too):
    def killed(new):
        case = new("three.yaml")
        # The module beside it is created at the same time, and could finish just when Terraform interrupts it.
        gates = [f"gate-{name}" for name in ([step, "beside"] if step == "first" else [step])]
        for gate in gates:
            case.touch(gate)
        process = case.start("deploy", "blueprint.yaml", "--target", "google", "--auto-approve")
        case.wait_for(lambda: step in case.lines("begun"), process)
        if terraform_too:  # as if the machine lost power
            os.kill(case.journal()["child"]["process"], signal.SIGKILL)
        process.kill()
        process.communicate()
        # The next deploy waits for the Terraform of the first, then starts again.
        process = case.start("deploy", "blueprint.yaml", "--target", "google", "--auto-approve")
        case.wait_for(lambda: case.lines("begun").count(step) == 2, process)
        if terraform_too:  # its child processes do not notice its death
            for gate in gates:
                (case.folder / gate).unlink()
            process.communicate(timeout=60)
            same("values passed between groups", case.last_text(), "begin first and hush-first second third")
            same("states", [group["state"] for group in case.journal()["groups"].values()], ["applied"] * 3)
            return
        for gate in gates:
            (case.folder / gate).unlink()
        _, said = process.communicate(timeout=60)
        has("redeploy", said, f"-/+ module.{step}.terraform_data.this, because of an earlier failure")
        case.is_done()
    killed.__name__ = f"killed_while_creating_{step}{'_with_terraform' if terraform_too else ''}"
    return killed


def ctrl_c_waits_for_terraform(new):
    case = new("three.yaml")
    case.touch("gate-second")
    process = case.start("deploy", "blueprint.yaml", "--target", "google", "--auto-approve")
    case.wait_for(lambda: "second" in case.lines("begun"), process)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    same("exit status", process.returncode, 1)
    has("message", said, "interrupted: waiting for `terraform` to stop and save its state")
    has("message", said, "interrupted in group `two`; to resume, run `slipway deploy` or `destroy` again")
    same("the state of group two was saved", [r["type"] for r in case.state("two")], ["terraform_data"])
    (case.folder / "gate-second").unlink()
    said = case.deploy()
    has("redeploy", said, "one: already applied before the interruption")
    has("redeploy", said, "-/+ module.second.terraform_data.this, because of an earlier failure")
    case.is_done()


def a_failed_apply_shows_the_line_of_the_blueprint(new):
    case = new("three.yaml")
    case.touch("broken-second")
    said = case.deploy(status=1)
    has("message", said, """error[E0506]: `module.second.terraform_data.this` of module `second` could not be applied: local-exec provisioner error
  --> blueprint.yaml:15:9
   |
15 |   - id: second
   |         ^^^^^^
   |""")
    has("Terraform's output", said, "no room for second")
    has("last line", said, "slipway deploy: group `two` failed; the full output is in three/.slipway/log/two.log")
    has("log", (case.deployment / ".slipway/log/two.log").read_text(), "no room for second")
    same("created", sorted(case.lines()), ["made beside", "made first"])
    case.touch("broken-second")
    done = case.run("deploy", "./three", "--auto-approve")
    has("of the folder", done.stderr, " --> three/.slipway/blueprint.yaml:")
    (case.folder / "broken-second").unlink()
    has("redeploy", case.deploy(), "two: resuming after an interruption")
    case.is_done()


def only_changed_modules_are_updated(new):
    case = new("three.yaml")
    case.deploy()
    same("no changes", case.run("plan", "blueprint.yaml", "--detailed-exitcode").returncode, 0)
    case.edit("{name: beside}", "{name: aside}")
    same("changes", case.run("plan", "blueprint.yaml", "--detailed-exitcode").returncode, 3)
    done = case.run("plan", "blueprint.yaml")
    has("plan", done.stdout, """group one (terraform, from the definitions): 1 to change
  module beside
      ~ module.beside
          name: "beside" -> "aside"
group two (terraform, from the definitions): nothing to do
""")
    said = case.deploy()
    has("deploy", said, "one: 1 to change")
    has("deploy", said, "three: up to date")
    same("created again", case.lines()[4:], [])
    case.edit("text: begin", "text: start")
    said = case.deploy()
    for group in ("one", "two", "three"):
        has("deploy", said, f"{group}: 1 to replace")
    same("created again", case.lines()[4:], ["destroyed first", "made first", "destroyed second", "made second",
                                         "destroyed third", "made third"])


def plan_lists_additions_changes_and_removals(new):
    case = new("three.yaml")
    schema = json.loads((ROOT / "docs/schemas/plan-1.schema.json").read_text())

    def plan(*words):
        done = case.run("plan", *words, "--json")
        same(f"plan: {done.stderr}", done.returncode, 0)
        document = json.loads(done.stdout)
        jsonschema.validate(document, schema)
        return {(g["group"], c["module"], c["address"]): c["action"] for g in document["groups"] for c in g["changes"]}

    everything = plan("blueprint.yaml")
    same("nothing was deployed", set(everything.values()), {"create"})
    same("modules", {module for _, module, _ in everything if module}, {"first", "beside", "second", "third"})
    same("nothing was written", (case.folder / "three").exists(), False)
    case.deploy()
    same("everything is deployed", plan("blueprint.yaml"), {})
    same("everything is deployed, from the folder", plan("./three"), {})
    same("everything is deployed, from Terraform", plan("./three", "--terraform"), {})
    case.edit("id: beside", "id: next")
    case.edit("text: $(second.text)", "text: other")
    same("changed blueprint", plan("blueprint.yaml"),
         {("one", "next", "module.next"): "create", ("one", "beside", "module.beside"): "destroy",
          ("three", "third", "module.third"): "update",
          ("two", None, "output.text_second"): "destroy"})
    case.run("create", "blueprint.yaml", "-w")
    same("from Terraform", plan("./three", "--terraform"),
         {("one", "next", "module.next.terraform_data.this"): "create",
          ("one", "beside", "module.beside.terraform_data.this"): "destroy",
          ("two", None, "output.text_second"): "destroy",
          ("three", None, "output.text_third"): "update",
          ("three", "third", "module.third.terraform_data.this"): "replace"})
    same("nothing was done", len(case.lines()), 4)
    done = case.run("plan", "blueprint.yaml", "--terraform")
    same("status", done.returncode, 2)


def only_and_skip(new):
    case = new("three.yaml")
    said = case.deploy("--only", "two", status=1)
    has("group one is missing", said, "group `two` needs `secret_first` of group `one`, which is excluded and not deployed")
    has("a typo", case.deploy("--only", "tow", status=2), "there is no group `tow`; did you mean `two`?")
    case.deploy("--only", "one")
    same("made", sorted(case.lines()), ["made beside", "made first"])
    case.deploy("--skip", "one,three")
    same("made", case.lines()[2:], ["made second"])
    case.deploy("--only", "three")
    case.is_done()


def asks_before_each_group(new):
    case = new("three.yaml")
    said = case.deploy(approve=False, answers="yes\nn\n", status=1)
    has("question", said, "Apply this to group `one`? [y/N] yes")
    has("last line", said, "Apply this to group `two`? [y/N] n\nslipway deploy: stopped: not approved")
    same("made", sorted(case.lines()), ["made beside", "made first"])
    has("without an answer", case.deploy(approve=False, status=1), "stopped")
    case.deploy(approve=False, answers="y\ny\n")
    case.is_done()


def destroys_in_reverse_order(new):
    case = new("three.yaml")
    case.deploy()
    said = case.destroy("--only", "one", status=1)
    has("one is used", said, "cannot destroy group `one`: group `two` is deployed and uses it")
    case.destroy("--only", "three")
    same("destroyed", case.lines()[4:], ["destroyed third"])
    case.run("create", "blueprint.yaml", "-w")
    said = case.destroy()
    has("three", said, "three: not deployed")
    same("destroyed", case.lines()[4:6], ["destroyed third", "destroyed second"])
    same("destroyed", sorted(case.lines()[6:]), ["destroyed beside", "destroyed first"])
    same("states", [case.state(group) for group in ("one", "two", "three")], [[], [], []])
    same("files with secrets", [p.name for p in case.deployment.rglob("*.tfvars.json")], [])
    has("destroying again", case.destroy(), "one: not deployed")
    case.deploy()
    same("created again", case.lines()[-1], "made third")


def groups_in_a_backend_that_nobody_deployed_are_not_in_the_way(new):
    case = new("three.yaml")
    case.edit("vars: {", f"terraform_backend_defaults: {{type: local, configuration: {{path: {case.folder}/state}}}}\nvars: {{")
    case.run("create", "blueprint.yaml")
    has("the backend is used", (case.deployment / "one/backend.tf.json").read_text(), f"{case.folder}/state")
    has("nothing is there", case.destroy("--only", "one"), "one: not deployed")
    case.deploy()
    (case.deployment / ".slipway/journal.json").unlink()  # as on another computer
    has("one is used", case.destroy("--only", "one", status=1), "group `two` is deployed and uses it")


def a_killed_destroy_resumes(new):
    case = new("three.yaml")
    case.deploy()
    before = len(case.lines("calls"))
    # version, init, plan, show, apply of three; …, apply of two
    case.kill_at_call(before + 9, "destroy", "./three", "--auto-approve")
    case.destroy()
    same("destroyed once", [line for line in case.lines()[4:] if "beside" not in line],
         ["destroyed third", "destroyed second", "destroyed first"])
    same("states", [case.state(group) for group in ("one", "two", "three")], [[], [], []])


def a_deployed_group_is_not_removed(new):
    case = new("three.yaml")
    case.deploy()
    whole = case.blueprint.read_text()
    case.blueprint.write_text(whole.split("- group: three")[0])
    has("plan", case.run("plan", "blueprint.yaml").stdout,
        "group three (terraform, from the definitions): 1 to destroy\n"
        "  note: this group is no longer in the blueprint\n")
    said = case.deploy(status=1)
    has("deploy", said, "destroy it first: slipway destroy ./three --only three")
    case.destroy("--only", "three")
    has("deploy", case.deploy(), "two: only outputs\n  outputs removed: text_second\n")


def two_deploys_cannot_run_at_once(new):
    case = new("three.yaml")
    case.touch("gate-first")
    process = case.start("deploy", "blueprint.yaml", "--target", "google", "--auto-approve")
    case.wait_for(lambda: "first" in case.lines("begun"), process)
    for words in (("deploy", "./three"), ("destroy", "./three"), ("create", "blueprint.yaml", "-w"),
                  ("deploy", "blueprint.yaml", "--target", "google")):
        done = case.run(*words)
        same(f"status of {words}", done.returncode, 1)
        has(f"{words}", done.stderr, "another `slipway` is running in `")
    (case.folder / "gate-first").unlink()
    process.communicate(timeout=60)
    case.is_done()


def a_locked_state_is_not_changed(new):
    case = new("three.yaml")
    case.deploy("--only", "one")
    with open(case.deployment / "one/terraform.tfstate", "r+") as state:
        fcntl.lockf(state, fcntl.LOCK_EX)
        done = case.run("deploy", "./three")
        same("exit status", done.returncode, 1)
        has("message", done.stderr, "error[E0506]: group `one` could not be planned: Error acquiring the state lock")
        has("hint", done.stderr, "   | someone else is using this state, or was killed while using it.")
        has("hint", done.stderr, "force-unlock LOCK_ID")
    case.deploy()
    case.is_done()


def without_terraform_nothing_is_written(new):
    case = new("three.yaml")
    case.environment["PATH"] = "relative:/nowhere"
    said = case.deploy(status=1)
    same("message", said, """error[E0505]: group `one` needs Terraform, but neither `terraform` nor `tofu` is in PATH
 --> blueprint.yaml:5:10
  |
5 | - group: one
  |          ^^^
  = help: install it from https://developer.hashicorp.com/terraform/install or https://opentofu.org
""")
    same("nothing was written", (case.folder / "three").exists(), False)
    old = case.folder / "bin/terraform"
    old.write_text("#!/bin/sh\necho '{\"terraform_version\": \"1.4.6\"}'\n")
    case.environment["PATH"] = f"{case.folder}/bin:/usr/bin:/bin"
    has("an old one", case.deploy(status=1), "group `one` needs `terraform` 1.5.0 or newer, but ")
    same("nothing was written", (case.folder / "three").exists(), False)


def opentofu_replaces_terraform(new):
    case = new("three.yaml")
    (case.folder / "bin/terraform").rename(case.folder / "bin/tofu")
    case.environment["PATH"] = f"{case.folder}/bin:/usr/bin:/bin"
    if shutil.which("terraform", path="/usr/bin:/bin"):
        return  # slipway would use it
    case.deploy("--only", "one")
    same("the program that wrote the state", case.journal()["program"], "tofu")


TERRAFORM = [three_groups_in_order, deploying_again_changes_nothing, ctrl_c_waits_for_terraform,
             a_failed_apply_shows_the_line_of_the_blueprint, only_changed_modules_are_updated,
             plan_lists_additions_changes_and_removals, only_and_skip, asks_before_each_group,
             destroys_in_reverse_order, groups_in_a_backend_that_nobody_deployed_are_not_in_the_way, a_killed_destroy_resumes, a_deployed_group_is_not_removed,
             two_deploys_cannot_run_at_once, a_locked_state_is_not_changed, without_terraform_nothing_is_written, opentofu_replaces_terraform,
             *(killed_before(number) for number in range(2, len(CALLS) + 2) if number % 4 == 0),
             killed_before(CALLS.index("two apply") + 2, True), killed_while_creating("second", False)]

# At every other call
INTERRUPTED = [*(killed_before(number) for number in range(2, len(CALLS) + 2) if number % 4 != 0),
               *(killed_before(number, True) for number, call in enumerate(CALLS, 2) if "apply" in call and call != "two apply"),
               *(killed_while_creating(step, False) for step in ("first", "third")),
               killed_while_creating("second", True)]
