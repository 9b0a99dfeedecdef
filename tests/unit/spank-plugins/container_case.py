"""What the tests of containers share: images, and a driver that starts containers as slurmstepd does.

As root, the job's user is another one, as in slurmstepd; as an ordinary user, the caller.
"""

import contextlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.dirname(__file__))
from container_test_image import make_image, make_root  # noqa: E402

programs = ["", ""]  # the driver, the keeper
USER = 4321 if os.geteuid() == 0 else os.geteuid()


def reason_to_skip():
    if not os.path.exists("/dev/fuse"):
        return "this machine has no /dev/fuse"
    for program in ["squashfuse_ll", "mksquashfs"]:
        if shutil.which(program) is None:
            return f"{program} is not installed"
    if os.geteuid() != 0 and not os.access("/dev/fuse", os.R_OK | os.W_OK):
        return "/dev/fuse is closed to this user"
    unshare = ["unshare", "-Urm", "true"]
    if os.geteuid() == 0:
        unshare = ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups", *unshare]
    if subprocess.run(unshare, check=False, capture_output=True).returncode != 0:
        return "ordinary users may not make user namespaces here"
    return None


def command_of(options, command):
    user = [f"user={USER}"] if os.geteuid() == 0 and "user=0" not in options else []
    return [*programs, *user, *[option for option in options if option != "user=0"], "--", *command]


def run(*options, command=("true",), **more):
    return subprocess.run(command_of(options, command), check=False, capture_output=True, text=True, **more)


def shell(script, *options, **more):
    return run(*options, command=("sh", "-c", script), **more)


def eventually(condition):
    """Waits until it is true. What has not come after two minutes never comes, also on a busy machine."""
    end = time.monotonic() + 120
    while not condition():
        if time.monotonic() > end:
            raise AssertionError("waited two minutes without success")
        time.sleep(0.02)


def folder_for_all():
    """A folder that the job's user can reach, wherever this user's own temporary files are."""
    parents = [tempfile.gettempdir(), *pathlib.Path(tempfile.gettempdir()).resolve().parents]
    is_open = all(os.stat(parent).st_mode & 0o001 for parent in parents)
    folder = tempfile.mkdtemp(prefix="slipway-container.", dir=None if is_open or os.geteuid() != 0 else "/var/tmp")
    os.chmod(folder, 0o755)
    return folder


@contextlib.contextmanager
def loitering(*options):
    """A driver whose container stays up, and the process id of its keeper."""
    with subprocess.Popen(command_of([*options, "loiter"], ["true"]), stdout=subprocess.PIPE, text=True) as driver:
        try:
            yield driver, int(driver.stdout.readline().split()[1])
        finally:
            driver.kill()


class ContainerCase(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = folder_for_all()
        cls.root = make_root(cls.folder + "/root", cls.files())
        cls.prepare()
        cls.image = make_image(cls.root, cls.folder + "/image.sqsh")

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder, ignore_errors=True)

    @classmethod
    def files(cls):
        return {}

    @classmethod
    def prepare(cls):
        """What the image has besides files."""

    def made(self, name, text=None):
        """A folder or file of the job's user, outside of the container."""
        path = f"{self.folder}/{name}"
        if text is None:
            os.makedirs(path, exist_ok=True)
        else:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        if os.geteuid() == 0:
            os.chown(path, USER, USER)
        return path

    def output(self, script, *options):
        result = shell(script, f"image={self.image}", *options)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return result.stdout

    def failure(self, *options, command=("true",)):
        result = run(*options, command=command)
        self.assertEqual(result.returncode, 99, result)
        return result.stderr.strip().replace(self.folder, "")


def main():
    """Runs the tests of the program's file: PROGRAM DRIVER KEEPER [unittest's arguments]."""
    programs[:] = [os.path.abspath(path) for path in sys.argv[1:3]]
    why = reason_to_skip()
    if why:
        print(why)
        sys.exit(77)
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
