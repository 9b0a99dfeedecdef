"""Shared by the tests of `slipway container import`: an image, and how to import and check it."""
import os, pathlib, subprocess, sys

ROOT = pathlib.Path(__file__).parent.parent
sys.path[:0] = [str(ROOT / "golden"), str(ROOT / "fakes/containers")]
from checks import exit_status, same  # noqa: F401
from images import Image

CONFIG = {"Env": ["PATH=/usr/bin:/bin", "NCCL_NET=IB", "TWO=a b\"c'", "BROKEN=a\nEVIL=1"], "Entrypoint": ["/entry point", "--x=$HOME"],
          "Cmd": ["train", "it's"], "WorkingDir": "/work space/here", "Volumes": {"/data": {}, "/bad dir": {}}}
IMAGE = Image([{"etc/": "", "etc/motd": "one\n", "etc/gone": "x", "secret": ("s", 0o000), "dev/": "", "dev/null": "no device"},
               {"etc/motd": "two\n", "etc/.wh.gone": "", "bin/": "", "bin/su": ("su", 0o4755)}], CONFIG)


class Import:
    def __init__(self, slipway, folder):
        self.program, self.folder = slipway, folder
        (folder / "tmp").mkdir()
        (folder / "home").mkdir()
        self.environment = {"PATH": os.environ["PATH"], "HOME": str(folder / "home"), "TMPDIR": str(folder / "tmp"), "LC_ALL": "C.UTF-8"}

    def command(self, *words):
        return [str(self.program), "container", "import", *map(str, words)]

    def __call__(self, *words, **more):
        done = subprocess.run(self.command(*words), capture_output=True, text=True, cwd=self.folder, env={**self.environment, **more})
        same(f"{words}: leaves nothing in TMPDIR", os.listdir(self.folder / "tmp"), [])
        same(f"{words}: leaves no part", [name for name in os.listdir(self.folder) if name.endswith(".part")], [])
        return done

    def fails(self, what, expected, *words, **more):
        done = self(*words, "--output", "never.sqsh", **more)
        same(f"{what}: fails", done.returncode, 1)
        said = done.stderr.strip().splitlines()[-1]
        same(f"{what}: says `{expected}`", expected in said, True)
        if expected not in said:
            print("  said:", said)
        same(f"{what}: no image", (self.folder / "never.sqsh").exists(), False)
        return done.stdout + done.stderr


def cat(image, path):
    return subprocess.run(["unsquashfs", "-cat", image, path], capture_output=True, text=True, check=True).stdout


def listing(image):
    """{path: (mode and owner)}"""
    lines = subprocess.run(["unsquashfs", "-lln", image], capture_output=True, text=True, check=True).stdout.splitlines()
    rows = [line.split(None, 5) for line in lines if "squashfs-root/" in line]
    return {row[5].removeprefix("squashfs-root/"): (row[0], row[1]) for row in rows}


def check_image(what, image):
    files = listing(image)
    same(f"{what}: a file of both layers is the second's", cat(image, "etc/motd"), "two\n")
    same(f"{what}: a file that the second layer removes is gone", "etc/gone" in files, False)
    same(f"{what}: devices are left out", "dev/null" in files, False)
    same(f"{what}: everything belongs to root", {owner for _, owner in files.values()}, {"0/0"})
    same(f"{what}: a setuid program keeps its mode", files["bin/su"][0], "-rwsr-xr-x")
    same(f"{what}: what its owner could not read is there", cat(image, "secret"), "s")
    same(f"{what}: the environment, without a variable of two lines", cat(image, "etc/environment"),
         "PATH=/usr/bin:/bin\nNCCL_NET=IB\nTWO=a b\"c'\n")
    same(f"{what}: volumes", cat(image, "etc/fstab"), "${ENROOT_ROOTFS}/data /data none x-create=dir,bind,rw,nosuid,nodev\n")
    same(f"{what}: the working directory exists", "work space/here" in files, True)
