#!/usr/bin/env python3
"""Deploys with the real Terraform, or Packer, on modules that need no cloud.

usage: deploy.py SLIPWAY terraform|packer PROGRAM [CASE...]

Each case has a folder of its own. `terraform` there is a few lines of shell before the real one: they count the calls,
and stop at the one that the case wants, so that slipway can be killed at any.
"""
import concurrent.futures, fcntl, json, os, pathlib, re, shlex, shutil, signal, stat, subprocess, sys, tempfile, time

import jsonschema

sys.dont_write_bytecode = True  # not into the source tree
HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(ROOT / "tests/golden"))
from run import installed

WRAPPER = """#!/bin/bash
echo "$PWD $*" >>{folder}/calls
[ -e {folder}/deaf ] || trap 'exit 1' INT
if [ -e {folder}/stop-at ] && [ "$(wc -l <{folder}/calls)" -eq "$(cat {folder}/stop-at)" ]; then
  touch {folder}/reached
  while [ -e {folder}/stop-at ]; do sleep 0.02; done
fi
exec {program} "${{@/-lock-timeout=60s/-lock-timeout=1s}}"
"""


class Failed(Exception):
    pass


def same(what, got, expected):
    if got != expected:
        raise Failed(f"{what}\n  expected {expected!r}\n  got      {got!r}")


def has(what, text, part):
    if part not in text:
        raise Failed(f"{what}: there is no {part!r} in\n{text}")


def has_not(what, text, part):
    if part in text:
        raise Failed(f"{what}: there is {part!r} in\n{text}")


class Case:
    """A blueprint in a folder of its own, and what happens to it."""

    def __init__(self, slipway, kind, program, folder, blueprint):
        self.slipway, self.folder = slipway, folder
        folder.mkdir()
        (folder / "bin").mkdir()
        wrapper = folder / "bin" / kind
        wrapper.write_text(WRAPPER.format(folder=shlex.quote(str(folder)), program=shlex.quote(program)))
        wrapper.chmod(0o755)
        shutil.copytree(HERE / "modules", folder / "modules")
        self.blueprint = folder / "blueprint.yaml"
        self.blueprint.write_text((HERE / blueprint).read_text().replace("folder: .}", f"folder: {folder}}}"))
        self.environment = {**os.environ, "PATH": f"{folder}/bin:{os.environ['PATH']}", "NO_COLOR": "1"}

    def start(self, *words):
        return subprocess.Popen([self.slipway, *map(str, words)], cwd=self.folder, text=True, env=self.environment,
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def run(self, *words, answers=""):
        process = self.start(*words)
        out, errors = process.communicate(answers, timeout=120)
        return subprocess.CompletedProcess(words, process.returncode, out, errors)

    def deploy(self, *options, approve=True, status=0, **more):
        flags = ["--auto-approve"] if approve else []
        done = self.run("deploy", "blueprint.yaml", "--target", "google", *flags, *options, **more)
        same(f"exit status of {done.args}: {done.stderr}", done.returncode, status)
        return done.stderr

    def destroy(self, *options, status=0):
        done = self.run("destroy", "./" + self.deployment.name, "--auto-approve", *options)
        same(f"exit status of {done.args}: {done.stderr}", done.returncode, status)
        return done.stderr

    def edit(self, old, new):
        text = self.blueprint.read_text()
        has("the blueprint", text, old)
        self.blueprint.write_text(text.replace(old, new))

    @property
    def deployment(self):
        return next(self.folder / name for name in ("three", "image") if (self.folder / name).exists())

    def lines(self, name="log"):
        file = self.folder / name
        return file.read_text().splitlines() if file.exists() else []

    def calls(self):
        return [f"{pathlib.Path(line.split()[0]).name} {line.split()[1]}" for line in self.lines("calls")]

    def touch(self, name):
        (self.folder / name).write_text("")

    def wait_for(self, condition, process=None):
        end = time.monotonic() + 60
        while not condition():
            if time.monotonic() > end or (process and process.poll() is not None):
                raise Failed("waited in vain" + (": " + process.communicate()[1] if process else ""))
            time.sleep(0.01)

    def state(self, group):
        file = self.deployment / group / "terraform.tfstate"
        return json.loads(file.read_text())["resources"] if file.exists() and file.stat().st_size else []

    def last_text(self):
        state = json.loads((self.deployment / "three/terraform.tfstate").read_text())
        return state["outputs"]["text_third"]["value"]

    def journal(self):
        return json.loads((self.deployment / ".slipway/journal.json").read_text())

    def is_done(self):
        """Everything stands, was made once, and Terraform would change nothing."""
        same("what was made, each once", sorted(self.lines()), ["made beside", "made first", "made second", "made third"])
        same("order of the groups", [line for line in self.lines() if "beside" not in line],
             ["made first", "made second", "made third"])
        same("what has travelled", self.last_text(), "begin first and hush-first second third")
        same("states", [group["state"] for group in self.journal()["groups"].values()], ["applied"] * 3)
        same("the deploy is finished", self.journal()["finished"], True)
        same("kept plans", list((self.deployment / ".slipway/plan").iterdir()), [])


CALLS = [f"{group} {verb}" for group, verbs in (("one", "init plan show apply"),
                                               ("two", "init plan show apply"),
                                               ("three", "init plan show apply"))
         for verb in verbs.split()]
CALLS.insert(4, "one output")
CALLS.insert(9, "two output")


def three_groups_one_after_the_other(new):
    case = new("three.yaml")
    said = case.deploy()
    case.is_done()
    same("calls", [call for call in case.calls() if "version" not in call], CALLS)
    has_not("what was said", said, "hush")
    has("what was said", said, "two: 1 to add\n  outputs new: text_second\n  module second\n")
    for text in [(case.deployment / f".slipway/log/{g}.log").read_text() for g in ("one", "two", "three")]:
        has_not("a log", text, "hush")
    for name, mode in {".": 0o700, ".slipway": 0o700, ".slipway/blueprint.yaml": 0o600, ".slipway/journal.json": 0o600,
                       ".slipway/log/one.log": 0o600, "two/terraform.tfvars.json": 0o600,
                       "two/terraform.tfstate": 0o600}.items():
        same(f"mode of {name}", stat.S_IMODE((case.deployment / name).stat().st_mode), mode)
    variables = json.loads((case.deployment / "two/variables.tf.json").read_text())["variable"]
    same("what is a secret between groups", {n: v.get("sensitive", False) for n, v in variables.items()},
         {"secret_first": True, "text_first": False})
    # What Terraform says of the next group's variable: a secret of the one before is in it.
    third = json.loads((case.deployment / "three/variables.tf.json").read_text())["variable"]
    same("the variable of the last group", list(third), ["text_second"])


def again_changes_nothing(new):
    case = new("three.yaml")
    case.deploy()
    before = sorted(p.read_bytes() for p in case.deployment.rglob("*.tf.json"))
    said = case.deploy()
    case.is_done()
    for group in ("one", "two", "three"):
        has("second deploy", said, f"{group}: stands as it should be")
    said = case.run("deploy", "./three").stderr  # nothing to ask about
    has("deploy of the folder", said, "deployment `three` is done")
    same("definitions", sorted(p.read_bytes() for p in case.deployment.rglob("*.tf.json")), before)


def killed_before(number, deaf=False):
    """`deaf`: what slipway has started does not end with it, and goes on."""
    def killed(new):
        case = new("three.yaml")
        if deaf:
            case.touch("deaf")
        (case.folder / "stop-at").write_text(str(number))
        process = case.start("deploy", "blueprint.yaml", "--target", "google", "--auto-approve")
        case.wait_for((case.folder / "reached").exists, process)
        process.kill()
        process.communicate()
        (case.folder / "stop-at").unlink()
        said = case.deploy()
        case.is_done()
        done_before = {"two": ["one"], "three": ["one", "two"]}.get(CALLS[number - 2].split()[0], [])
        if CALLS[number - 2] in ("one output", "two output"):
            done_before = ["one"] if "one" in CALLS[number - 2] else ["one", "two"]
        for group in ("one", "two", "three"):
            (has if group in done_before else has_not)(f"{group}, killed at {CALLS[number - 2]}", said,
                                                       f"{group}: done before")
    killed.__name__ = f"killed_before_call_{number}{'_which_goes_on_alone' if deaf else ''}"
    return killed


def killed_while_something_is_made(step, terraform_too):
    def killed(new):
        case = new("three.yaml")
        case.touch(f"gate-{step}")
        process = case.start("deploy", "blueprint.yaml", "--target", "google", "--auto-approve")
        case.wait_for(lambda: step in case.lines("begun"), process)
        if terraform_too:  # as when the machine loses its power
            os.kill(case.journal()["child"]["process"], signal.SIGKILL)
        process.kill()
        process.communicate()
        # The next one waits for what the first has left to itself, and begins anew.
        process = case.start("deploy", "blueprint.yaml", "--target", "google", "--auto-approve")
        case.wait_for(lambda: case.lines("begun").count(step) == 2, process)
        if terraform_too:  # what it had started does not know of its end
            (case.folder / f"gate-{step}").unlink()
            process.communicate(timeout=60)
            same("what has travelled", case.last_text(), "begin first and hush-first second third")
            same("states", [group["state"] for group in case.journal()["groups"].values()], ["applied"] * 3)
            return
        (case.folder / f"gate-{step}").unlink()
        _, said = process.communicate(timeout=60)
        has("redeploy", said, f"-/+ module.{step}.terraform_data.this, because of an attempt that failed")
        case.is_done()
    killed.__name__ = f"killed_while_{step}_is_made{'_with_terraform' if terraform_too else ''}"
    return killed


def ctrl_c_waits_for_terraform(new):
    case = new("three.yaml")
    case.touch("gate-second")
    process = case.start("deploy", "blueprint.yaml", "--target", "google", "--auto-approve")
    case.wait_for(lambda: "second" in case.lines("begun"), process)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    same("exit status", process.returncode, 1)
    has("what was said", said, "interrupted: `terraform` is told to stop, and to keep what it has done")
    has("what was said", said, "interrupted in group `two`; the next `slipway deploy`")
    same("the state of group two was saved", [r["type"] for r in case.state("two")], ["terraform_data"])
    (case.folder / "gate-second").unlink()
    said = case.deploy()
    has("redeploy", said, "one: done before the deploy was broken off")
    has("redeploy", said, "-/+ module.second.terraform_data.this, because of an attempt that failed")
    case.is_done()


def a_failed_apply_shows_the_line_of_the_blueprint(new):
    case = new("three.yaml")
    case.touch("broken-second")
    said = case.deploy(status=1)
    has("what was said", said, """error[E0506]: `module.second.terraform_data.this` of module `second` could not be applied: local-exec provisioner error
  --> blueprint.yaml:15:9
   |
15 |   - id: second
   |         ^^^^^^
   |""")
    has("Terraform's words", said, "no room for second")
    has("the end", said, "slipway deploy: group `two` failed; all that was said is in three/.slipway/log/two.log")
    has("log", (case.deployment / ".slipway/log/two.log").read_text(), "no room for second")
    same("what was made", sorted(case.lines()), ["made beside", "made first"])
    case.touch("broken-second")
    done = case.run("deploy", "./three", "--auto-approve")
    has("of the folder", done.stderr, " --> three/.slipway/blueprint.yaml:")
    (case.folder / "broken-second").unlink()
    has("redeploy", case.deploy(), "two: goes on where it was broken off")
    case.is_done()


def a_change_is_applied_where_it_is(new):
    case = new("three.yaml")
    case.deploy()
    case.edit("{name: beside}", "{name: aside}")
    done = case.run("plan", "blueprint.yaml")
    has("plan", done.stdout, """group one (terraform, by the definitions): 1 to change
  module beside
      ~ module.beside
          name: "beside" -> "aside"
group two (terraform, by the definitions): nothing to do
""")
    said = case.deploy()
    has("deploy", said, "one: 1 to change")
    has("deploy", said, "three: stands as it should be")
    same("made anew", case.lines()[4:], [])
    case.edit("text: begin", "text: start")
    said = case.deploy()
    for group in ("one", "two", "three"):
        has("deploy", said, f"{group}: 1 to replace")
    same("made anew", case.lines()[4:], ["destroyed first", "made first", "destroyed second", "made second",
                                         "destroyed third", "made third"])


def plan_says_what_is_new_changed_and_gone(new):
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
    same("it was only looked at", (case.folder / "three").exists(), False)
    case.deploy()
    same("all is deployed", plan("blueprint.yaml"), {})
    same("all is deployed, says the folder", plan("./three"), {})
    same("all is deployed, says Terraform", plan("./three", "--terraform"), {})
    case.edit("id: beside", "id: next")
    case.edit("text: $(second.text)", "text: other")
    same("changed blueprint", plan("blueprint.yaml"),
         {("one", "next", "module.next"): "create", ("one", "beside", "module.beside"): "destroy",
          ("three", "third", "module.third"): "update",
          ("two", None, "output.text_second"): "destroy"})
    case.run("create", "blueprint.yaml", "-w")
    same("what Terraform says", plan("./three", "--terraform"),
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
    has("nothing of group one", said, "group `two` needs `secret_first` of group `one`, which is left out and not deployed yet")
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
    has("the end", said, "Apply this to group `two`? [y/N] n\nslipway deploy: stopped: nothing more is done")
    same("made", sorted(case.lines()), ["made beside", "made first"])
    has("without an answer", case.deploy(approve=False, status=1), "stopped")
    case.deploy(approve=False, answers="y\ny\n")
    case.is_done()


def destroys_in_the_reverse_order(new):
    case = new("three.yaml")
    case.deploy()
    said = case.destroy("--only", "one", status=1)
    has("one is used", said, "group `one` is not destroyed: group `two` is deployed and uses it")
    case.destroy("--only", "three")
    same("destroyed", case.lines()[4:], ["destroyed third"])
    case.run("create", "blueprint.yaml", "-w")
    said = case.destroy()
    has("three", said, "three: there is nothing of it")
    same("destroyed", case.lines()[4:6], ["destroyed third", "destroyed second"])
    same("destroyed", sorted(case.lines()[6:]), ["destroyed beside", "destroyed first"])
    same("states", [case.state(group) for group in ("one", "two", "three")], [[], [], []])
    same("secrets that lie about", [p.name for p in case.deployment.rglob("*.tfvars.json")], [])
    has("once more", case.destroy(), "one: there is nothing of it")
    case.deploy()
    same("made again", case.lines()[-1], "made third")


def a_killed_destroy_goes_on(new):
    case = new("three.yaml")
    case.deploy()
    before = len(case.lines("calls"))
    (case.folder / "stop-at").write_text(str(before + 9))  # version, init, plan, show, apply of three; …, apply of two
    process = case.start("destroy", "./three", "--auto-approve")
    case.wait_for((case.folder / "reached").exists, process)
    process.kill()
    process.communicate()
    (case.folder / "stop-at").unlink()
    case.destroy()
    same("each once", [line for line in case.lines()[4:] if "beside" not in line],
         ["destroyed third", "destroyed second", "destroyed first"])
    same("states", [case.state(group) for group in ("one", "two", "three")], [[], [], []])


def a_group_that_stands_is_not_dropped(new):
    case = new("three.yaml")
    case.deploy()
    whole = case.blueprint.read_text()
    case.blueprint.write_text(whole.split("- group: three")[0])
    has("plan", case.run("plan", "blueprint.yaml").stdout,
        "group three (terraform, by the definitions): 1 to destroy\n"
        "  note: the blueprint does not have this group any more\n")
    said = case.deploy(status=1)
    has("deploy", said, "destroy it first: slipway destroy ./three --only three")
    case.destroy("--only", "three")
    has("deploy", case.deploy(), "two: only outputs\n  outputs gone: text_second\n")


def two_deploys_do_not_meet(new):
    case = new("three.yaml")
    case.touch("gate-first")
    process = case.start("deploy", "blueprint.yaml", "--target", "google", "--auto-approve")
    case.wait_for(lambda: "first" in case.lines("begun"), process)
    for words in (("deploy", "./three"), ("destroy", "./three"), ("create", "blueprint.yaml", "-w"),
                  ("deploy", "blueprint.yaml", "--target", "google")):
        done = case.run(*words)
        same(f"status of {words}", done.returncode, 1)
        has(f"{words}", done.stderr, "another `slipway` is at work in `")
    (case.folder / "gate-first").unlink()
    process.communicate(timeout=60)
    case.is_done()


def a_state_that_somebody_holds_is_left_alone(new):
    case = new("three.yaml")
    case.deploy("--only", "one")
    with open(case.deployment / "one/terraform.tfstate", "r+") as state:
        fcntl.lockf(state, fcntl.LOCK_EX)
        done = case.run("deploy", "./three")
        same("exit status", done.returncode, 1)
        has("what was said", done.stderr, "error[E0506]: group `one` could not be planned: Error acquiring the state lock")
        has("what to do", done.stderr, "   | somebody else is at work on this state, or was killed there.")
        has("what to do", done.stderr, "force-unlock LOCK_ID")
    case.deploy()
    case.is_done()


def without_terraform_nothing_is_written(new):
    case = new("three.yaml")
    case.environment["PATH"] = "relative:/nowhere"
    said = case.deploy(status=1)
    same("what was said", said, """error[E0505]: group `one` needs Terraform, and neither `terraform` nor `tofu` is in the PATH
 --> blueprint.yaml:5:10
  |
5 | - group: one
  |          ^^^
  = help: https://developer.hashicorp.com/terraform/install, or https://opentofu.org
""")
    same("nothing was written", (case.folder / "three").exists(), False)
    old = case.folder / "bin/terraform"
    old.write_text("#!/bin/sh\necho '{\"terraform_version\": \"1.4.6\"}'\n")
    case.environment["PATH"] = f"{case.folder}/bin:/usr/bin:/bin"
    has("an old one", case.deploy(status=1), "group `one` needs `terraform` 1.5.0 or newer, and ")
    same("nothing was written", (case.folder / "three").exists(), False)


def opentofu_takes_terraforms_place(new):
    case = new("three.yaml")
    (case.folder / "bin/terraform").rename(case.folder / "bin/tofu")
    case.environment["PATH"] = f"{case.folder}/bin:/usr/bin:/bin"
    if shutil.which("terraform", path="/usr/bin:/bin"):
        return  # it would be taken
    case.deploy("--only", "one")
    same("whose state it is", case.journal()["program"], "tofu")


TERRAFORM = [three_groups_one_after_the_other, again_changes_nothing, ctrl_c_waits_for_terraform,
             a_failed_apply_shows_the_line_of_the_blueprint, a_change_is_applied_where_it_is,
             plan_says_what_is_new_changed_and_gone, only_and_skip, asks_before_each_group,
             destroys_in_the_reverse_order, a_killed_destroy_goes_on, a_group_that_stands_is_not_dropped,
             two_deploys_do_not_meet, a_state_that_somebody_holds_is_left_alone, without_terraform_nothing_is_written, opentofu_takes_terraforms_place,
             *(killed_before(number) for number in range(2, len(CALLS) + 2)),
             *(killed_before(number, True) for number, call in enumerate(CALLS, 2) if "apply" in call),
             *(killed_while_something_is_made(step, False) for step in ("first", "second", "third")),
             killed_while_something_is_made("second", True)]


def an_image_in_its_turn(new):
    case = new("image.yaml")
    done = case.run("deploy", "blueprint.yaml", "--target", "google", "--auto-approve")
    same(f"status: {done.stderr}", done.returncode, 0)
    same("order", case.lines(), ["made net", "built image in nothing net", "made nodes"])
    said = case.deploy()
    has("again", said, "image: the image stands, and nothing of it has changed: Null")
    same("not built again", len(case.lines()), 3)
    case.edit("image in", "picture in")
    has("plan", case.run("plan", "blueprint.yaml").stdout, "group image (packer, by the definitions): ")
    case.deploy()
    same("built again", case.lines()[3:], ["built picture in nothing net"])
    case.deploy("--rebuild", "--only", "image")
    same("built again", case.lines()[4:], ["built picture in nothing net"])
    said = case.destroy()
    has("it stays", said, "image: stays: Null (`--images` removes it, too)")
    same("destroyed", case.lines()[5:], ["destroyed nodes", "destroyed net"])
    has("asked for", case.destroy("--images"), "image: Null of the builder `fnoeding.null` is left to you")


def a_failed_image_shows_the_line_of_the_blueprint(new):
    case = new("image.yaml")
    case.touch("broken-image")
    said = case.deploy(status=1)
    has("what was said", said, "error[E0506]: the image of module `custom` could not be built: `packer` ended with status 1\n"
        "  --> blueprint.yaml:10:9")
    has("Packer's words", said, "exit status: 3")
    (case.folder / "broken-image").unlink()
    case.deploy()
    same("order", case.lines(), ["made net", "built image in nothing net", "made nodes"])


def a_killed_build_is_done_again(new):
    case = new("image.yaml")
    (case.folder / "stop-at").write_text("3")  # version, validate, build
    process = case.start("deploy", "blueprint.yaml", "--target", "google", "--auto-approve")
    case.wait_for((case.folder / "reached").exists, process)
    process.kill()
    process.communicate()
    (case.folder / "stop-at").unlink()
    said = case.deploy()
    has("what is done", said, "network: done before")
    same("order", case.lines(), ["made net", "built image in nothing net", "made nodes"])


def exactly_its_images_are_removed(new):
    """With a Packer and a gcloud that know no cloud, but tell of one."""
    case = new("image.yaml")
    for name in ("packer", "gcloud"):
        (case.folder / "bin" / name).unlink(missing_ok=True)
        shutil.copy(ROOT / "tests/fakes/cloud" / name, case.folder / "bin" / name)
    case.environment["FAKE_LOG"] = str(case.folder / "cloud-log")
    case.edit("text: \"image", "project_id: my-project, text: \"image")
    (case.folder / "modules/image/image.pkr.hcl").write_text(
        (HERE / "modules/image/image.pkr.hcl").read_text() + "variable \"project_id\" {\n  type = string\n}\n")
    case.deploy()
    case.deploy("--rebuild")
    case.destroy()
    same("nothing is removed unasked", [l for l in case.lines("cloud-log") if l.startswith("gcloud")], [])
    case.destroy("--images")
    same("what is removed", [l for l in case.lines("cloud-log") if l.startswith("gcloud")],
         [f"gcloud compute images delete fake-image-{n} --project=my-project --quiet" for n in (2, 1)])
    case.destroy("--images")
    same("once", len([l for l in case.lines("cloud-log") if l.startswith("gcloud")]), 2)


PACKER = [an_image_in_its_turn, a_failed_image_shows_the_line_of_the_blueprint, a_killed_build_is_done_again,
          exactly_its_images_are_removed]


def main():
    program, kind, real, names = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]
    cases = [case for case in (TERRAFORM if kind == "terraform" else PACKER) if not names or case.__name__ in names]
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        slipway = installed(program, folder / "prefix")

        def check(case):
            begin = time.monotonic()
            try:
                case(lambda blueprint: Case(slipway, kind, real, folder / case.__name__, blueprint))
                problem = ""
            except (Failed, KeyError, IndexError, subprocess.TimeoutExpired, jsonschema.ValidationError) as error:
                problem = f"{type(error).__name__}: {error}\n"
            return problem, time.monotonic() - begin

        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for case, (problem, seconds) in zip(cases, pool.map(check, cases)):
                failed += bool(problem)
                print(f"{'FAIL' if problem else 'ok  '} {case.__name__.replace('_', ' ')} ({seconds:.1f} s)\n{problem}", end="")
    print(f"{len(cases)} cases, {failed} failed")
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
