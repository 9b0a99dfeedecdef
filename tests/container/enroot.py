#!/usr/bin/env python3
"""Runs the wrapper `enroot` as scripts call it: usage: enroot.py SLIPWAY"""
import json, os, pathlib, shutil, subprocess, sys, tempfile

sys.dont_write_bytecode = True  # keep the source tree clean
ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests/golden"))
from checks import exit_status, same


class Enroot:
    def __init__(self, slipway, folder):
        self.folder, self.bin = folder, folder / "bin"
        self.bin.mkdir()
        shutil.copy(ROOT / "launcher/container/enroot", self.bin / "enroot")
        (self.bin / "slipway").symlink_to(slipway)
        self.containers = folder / "run" / str(os.getuid())
        self.containers.mkdir(parents=True)

    def __call__(self, *words, given=""):
        environment = {**os.environ, "PATH": f"{self.bin}:{os.environ['PATH']}", "PYXIS_RUNTIME_PATH": str(self.folder / "run"),
                       "TMPDIR": str(self.folder)}
        done = subprocess.run(["enroot", *words], env=environment, capture_output=True, text=True, cwd=self.folder, input=given)
        return done.returncode, done.stdout, done.stderr

    def container(self, name, keeper=0):
        folder = self.containers / name / "changes"
        folder.mkdir(parents=True)
        folder.chmod(0o000)
        if keeper:
            (folder.parent / "running.json").write_text(json.dumps({"keeper": keeper, "start": "x"}, indent=2))


def check_import(enroot, folder):
    (folder / "root/etc").mkdir(parents=True)
    (folder / "root/etc/rc").write_text("exec \"$@\"\n")
    code, out, _ = enroot("import", "--output", "a.sqsh", "dir:root")
    same("import", (code, out), (0, f"{folder}/a.sqsh\n"))
    same("import -o with --", enroot("import", "-o", "b.sqsh", "--", "dir:root")[0], 0)
    code, _, said = enroot("import", "--output=a.sqsh", "dir:root")
    same("a file that exists", (code, f"File already exists: {folder}/a.sqsh" in said), (1, True))
    for words in (["import"], ["import", "--wrong", "dir:root"], ["import", "-o"], ["import", "dir:a", "dir:b"]):
        code, out, said = enroot(*words)
        same(f"{words} fails", (code, out, said.startswith("[ERROR] ")), (1, "", True))


def check_containers(enroot):
    same("no containers", enroot("list"), (0, "", ""))
    for name in ("name.train", "name.a b", "job.7.x.y", "step.7.0"):
        enroot.container(name)
    enroot.container("name.busy", os.getpid())
    same("list, with pyxis's names", sorted(enroot("list")[1].splitlines()), ["pyxis_7_x.y", "pyxis_a b", "pyxis_busy", "pyxis_train"])
    fancy = enroot("list", "--fancy")[1].splitlines()
    same("list --fancy", [line.split()[-1] for line in fancy if line.startswith(("NAME", "pyxis_busy"))], ["PID", str(os.getpid())])
    same("remove asks", enroot("remove", "pyxis_train", given="n\n")[0], 0)
    same("and keeps it", "pyxis_train" in enroot("list")[1], True)
    same("remove", enroot("remove", "-f", "pyxis_train", "a b"), (0, "", ""))
    same("they are gone", sorted(path.name for path in enroot.containers.iterdir()), ["job.7.x.y", "name.busy", "step.7.0"])
    code, _, said = enroot("remove", "--force", "pyxis_busy")
    same("not a running one", (code, "is running" in said), (1, True))
    for name in ("pyxis_train", "../../bin", "step.7.0", "", "name.busy/..", "*"):
        code, _, said = enroot("remove", "--force", name)
        same(f"no container `{name}`", (code, "No such file or directory" in said), (1, True))
    same("nothing else is gone", sorted(path.name for path in enroot.containers.iterdir()), ["job.7.x.y", "name.busy", "step.7.0"])


def check_others(enroot, folder):
    for word, expected in (("create", "--container-name=NAME"), ("start", "srun --container-image"), ("exec", "srun"), ("batch", "srun"),
                           ("export", "--container-save=FILE"), ("bundle", "srun --container-image")):
        code, out, said = enroot(word, "x")
        same(f"{word} says what to write", (code, out, said.startswith("[ERROR] "), expected in said), (1, "", True, True))
    same("usage", (enroot()[0], enroot("--help")[1].startswith("Usage: enroot COMMAND"), enroot("wrong")[0]), (0, True, 1))
    same("version", enroot("version")[0], 0)
    real = folder / "real"
    real.mkdir()
    (real / "enroot").write_text('#!/bin/sh\necho "real $*"\n')
    (real / "enroot").chmod(0o755)
    done = subprocess.run([enroot.bin / "enroot", "create", "a b"], capture_output=True, text=True,
                          env={**os.environ, "PATH": f"{enroot.bin}:{real}:{os.environ['PATH']}"})
    same("a real enroot in PATH gets the same words", (done.returncode, done.stdout), (0, "real create a b\n"))


def main(slipway):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder).resolve()
        enroot = Enroot(pathlib.Path(slipway).resolve(), folder)
        check_import(enroot, folder)
        check_containers(enroot)
        check_others(enroot, folder)
    return exit_status()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
