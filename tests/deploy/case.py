"""A test case of deploy.py: a blueprint in its own folder, with functions to deploy and inspect it."""
import json, os, pathlib, shlex, shutil, subprocess, time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent

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
        raise Failed(f"{what}: {part!r} is missing in\n{text}")


def has_not(what, text, part):
    if part in text:
        raise Failed(f"{what}: unexpected {part!r} in\n{text}")


class Case:
    """A blueprint in its own folder, deployed with a wrapped Terraform or Packer."""

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
        # A short life needs no garbage collection, and its threads only wait for each other: two thirds of the time.
        self.environment = {**os.environ, "PATH": f"{folder}/bin:{os.environ['PATH']}", "NO_COLOR": "1", "GOGC": "off",
                            "GOMAXPROCS": "1"}

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
                raise Failed("timed out" + (": " + process.communicate()[1] if process else ""))
            time.sleep(0.01)

    def kill_at_call(self, number, *words):
        """Starts slipway and kills it when it makes that call, which then continues."""
        (self.folder / "stop-at").write_text(str(number))
        process = self.start(*words)
        self.wait_for((self.folder / "reached").exists, process)
        process.kill()
        process.communicate()
        (self.folder / "stop-at").unlink()

    def state(self, group):
        file = self.deployment / group / "terraform.tfstate"
        return json.loads(file.read_text())["resources"] if file.exists() and file.stat().st_size else []

    def last_text(self):
        state = json.loads((self.deployment / "three/terraform.tfstate").read_text())
        return state["outputs"]["text_third"]["value"]

    def journal(self):
        return json.loads((self.deployment / ".slipway/journal.json").read_text())

    def is_done(self):
        """Everything is deployed, was created once, and no plan is left."""
        same("everything created once", sorted(self.lines()), ["made beside", "made first", "made second", "made third"])
        same("order of the groups", [line for line in self.lines() if "beside" not in line],
             ["made first", "made second", "made third"])
        same("values passed between groups", self.last_text(), "begin first and hush-first second third")
        same("states", [group["state"] for group in self.journal()["groups"].values()], ["applied"] * 3)
        same("the deploy is finished", self.journal()["finished"], True)
        same("kept plans", list((self.deployment / ".slipway/plan").iterdir()), [])
