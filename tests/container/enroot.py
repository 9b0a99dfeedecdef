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

    def __call__(self, *words, given="", job=None):
        environment = {**{name: value for name, value in os.environ.items() if not name.startswith("SLURM")}, "PATH": f"{self.bin}:{os.environ['PATH']}", "PYXIS_RUNTIME_PATH": str(self.folder / "run"),
                       "TMPDIR": str(self.folder), **(job or {})}
        done = subprocess.run(["enroot", *words], env=environment, capture_output=True, text=True, cwd=self.folder, input=given)
        return done.returncode, done.stdout, done.stderr

    def container(self, name, keeper=0):
        folder = self.containers / name / "changes"
        (folder / "work").mkdir(parents=True)
        (folder / "work").chmod(0o000)  # as overlays leave it
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


def check_steps(enroot, folder):
    """create and exec are steps of the job, on this node. srun is a stand-in that prints its words."""
    (enroot.bin / "srun").write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    (enroot.bin / "srun").chmod(0o755)
    (folder / "an image.sqsh").write_text("")
    (folder / "an image+1.sqsh").write_text("")
    job = {"SLURM_JOB_ID": "7", "SLURMD_NODENAME": "node-3"}
    begin = ["--quiet", "--overlap", "--mpi=none", "--nodes=1", "--ntasks=1", "--ntasks-per-node=1", "--nodelist=node-3"]

    def step(*words):
        code, out, said = enroot(*words, job=job)
        same(f"{words} is a step", (code, said, out.splitlines()[: len(begin)]), (0, "", begin))
        return out.splitlines()[len(begin):]

    image = f"--container-image={folder}/an image.sqsh"
    same("create, with pyxis's name", step("create", "--name", "pyxis_n", "an image.sqsh"), [image, "--container-name=n:create", "true"])
    same("create, with its own name", step("create", "--name=n", "--", "an image.sqsh"), [image, "--container-name=n:create", "true"])
    same("create, with the image's name", step("create", "an image+1.sqsh")[1:], ["--container-name=an image+1:create", "true"])
    code, out, said = enroot("create", "-n", "pyxis_busy", "an image.sqsh", job=job)
    same("create: a name that is taken", (code, out, "File already exists" in said), (1, "", True))
    enroot.container("name.old")
    same("create --force", step("create", "-f", "-n", "old", "an image.sqsh"), [image, "--container-name=old:create", "true"])
    same("the old one is gone", "pyxis_old" in enroot("list")[1], False)
    same("exec", step("exec", str(os.getpid()), "sh", "-c", "a b"), ["--container-name=busy:exec", "sh", "-c", "a b"])
    same("exec, name of a job", (enroot.container("job.7.in", os.getppid()), step("exec", "--", str(os.getppid()), "ls"))[1],
         ["--container-name=in:exec", "ls"])
    same("export", step("export", "--output", "a b.sqsh", "pyxis_busy"), ["--container-name=busy", f"--container-save={folder}/a b.sqsh", "true"])
    same("export, of a job", step("export", "--", "pyxis_7_in"), ["--container-name=in", f"--container-save={folder}/pyxis_7_in.sqsh", "true"])
    same("export --force", step("export", "-f", "--output=an image.sqsh", "busy")[1], f"--container-save={folder}/an image.sqsh")
    for words, expected in ((["create", "none.sqsh"], "No such file or directory: none.sqsh"), (["create"], "wants one image"),
                            (["create", "a", "b"], "wants one image"), (["create", "-x", "a"], "no option -x"), (["create", "-n"], "needs a value"),
                            (["export", "none"], "No such file or directory"), (["export"], "wants the name of one"), (["export", "-o"], "needs a value"),
                            (["export", "-x", "busy"], "no option -x"), (["export", "-o", "an image.sqsh", "busy"], "File already exists"),
                            (["exec", "1", "true"], "No such process: 1"), (["exec", "1"], "exec wants"), (["exec"], "exec wants")):
        code, out, said = enroot(*words, job=job)
        same(f"{words} fails", (code, out, said.startswith("[ERROR] "), expected in said), (1, "", True, True))
    for words in (["create", "an image.sqsh"], ["exec", str(os.getpid()), "true"], ["export", "busy"]):
        code, out, said = enroot(*words)
        same(f"{words} outside of a job", (code, out, "--container-name=NAME" in said), (1, "", True))


def check_others(enroot, folder):
    for word, expected in (("start", "srun --container-image"), ("batch", "srun"), ("bundle", "srun --container-image")):
        code, out, said = enroot(word, "x")
        same(f"{word} says what to write", (code, out, said.startswith("[ERROR] "), expected in said), (1, "", True, True))
    same("usage", (enroot()[0], enroot("--help")[1].startswith("Usage: enroot COMMAND"), enroot("wrong")[0]), (0, True, 1))
    same("version", enroot("version")[0], 0)
    real = folder / "real"
    real.mkdir()
    (real / "enroot").write_text('#!/bin/sh\necho "real $*"\n')
    (real / "enroot").chmod(0o755)
    other = folder / "other"  # of a second Slipway
    shutil.copytree(enroot.bin, other, symlinks=True)
    done = subprocess.run([other / "enroot", "create"], capture_output=True, text=True, timeout=20, env={**os.environ, "PATH": f"{enroot.bin}:{other}:/usr/bin:/bin"})
    same("the wrappers of two Slipways do not call each other", (done.returncode, "wants one image" in done.stderr), (1, True))
    done = subprocess.run([enroot.bin / "enroot", "create", "a b"], capture_output=True, text=True,
                          env={**os.environ, "PATH": f"{enroot.bin}:{other}:{real}:{os.environ['PATH']}"})
    same("a real enroot in PATH gets the same words", (done.returncode, done.stdout), (0, "real create a b\n"))


def main(slipway):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder).resolve()
        enroot = Enroot(pathlib.Path(slipway).resolve(), folder)
        check_import(enroot, folder)
        check_containers(enroot)
        check_steps(enroot, folder)
        check_others(enroot, folder)
    return exit_status()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
