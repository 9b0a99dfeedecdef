#!/usr/bin/env python3
"""quickstart.sh, test.sh and CONTRIBUTING.md's own commands share build/, in any order. Everything is real but
compiling and installing: instead of them, ninja only writes its files again if needed, and an installation says where to."""
import os, pathlib, re, shutil, subprocess, tempfile, unittest

TOP = pathlib.Path(__file__).resolve().parent.parent.parent

FAKES = """
ninja() { command ninja -C "${2:?}" build.ninja; }
meson() {
  if [ "$1" = install ]; then
    echo "installed to $(option_of "$3" prefix)"
  else
    command meson "$@"
  fi
}
"""

# A pkg-config that knows everything but Catch2.
NO_CATCH2 = """#!/bin/sh
case "$*" in *catch2*) exit 1 ;; esac
exec pkg-config "$@"
"""


def contributors_commands():
    """What CONTRIBUTING.md says to type, without compiling and testing."""
    block = re.search(r"While you work:\n\n```sh parse[^\n]*\n(.*?)```", (TOP / "CONTRIBUTING.md").read_text(), re.DOTALL)[1]
    return "".join(line + "\n" for line in block.splitlines() if not line.startswith("meson test"))


class Setup(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.top = pathlib.Path(folder.name) / "slipway"
        # Links are enough, and meson.build refers to files in all folders.
        shutil.copytree(TOP, self.top, copy_function=os.symlink,
                        ignore=lambda at, names: [name for name in names if name.startswith(("build", ".git", "fuzz-"))
                                                  and pathlib.Path(at) == TOP])

    def bash(self, commands, **environment):
        kept = {key: value for key, value in os.environ.items() if not key.startswith("MESON")}
        return subprocess.run(["bash", "-euc", f". scripts/setup.sh\n{FAKES}\n{commands}"], cwd=self.top, text=True,
                              capture_output=True, timeout=120, env={**kept, **environment})

    def does(self, commands):
        done = self.bash(commands)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def listed(self):
        return self.does("meson test -C build --no-rebuild --list").splitlines()

    def assertInstalls(self, said):
        self.assertIn(f"installed to {self.top}/build/prefix\n", said)

    def test_quickstart_first(self):
        self.assertInstalls(self.does("build_slipway"))
        self.assertEqual(len(self.listed()), 1)
        self.assertIn("run `meson configure build -Dtests=true` SKIP", self.does("meson test -C build --no-rebuild"))
        self.does(contributors_commands())
        self.assertGreater(len(self.listed()), 50)
        self.assertInstalls(self.does("build_slipway"))
        self.assertGreater(len(self.listed()), 50)

    def test_contributing_first(self):
        self.does(contributors_commands())
        self.assertGreater(len(self.listed()), 50)
        said = self.does("build_slipway tests")
        self.assertInstalls(said)
        self.assertNotIn("was configured", said)

    def test_a_machine_without_cuda(self):
        """The tests of GPUs run on stand-ins of its libraries."""
        there = os.path.exists("/usr/local/cuda")
        namespaces = ["unshare", "--user", "--map-root-user", "--mount"] if there else []
        hide = "mount -t tmpfs none /usr/local/cuda; " if there else ""
        done = subprocess.run([*namespaces, "bash", "-euc", hide + ". scripts/setup.sh; configure build -Dtests=true"],
                              cwd=self.top, text=True, capture_output=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertGreater(len(self.listed()), 50)

    def test_meson_by_habit_first(self):
        self.does("meson setup build -Dtests=false")
        said = self.does("build_slipway tests")
        self.assertIn("build: build/ was configured to install to /usr/local; from now on it installs to build/prefix", said)
        self.assertInstalls(said)
        self.assertGreater(len(self.listed()), 50)

    def test_without_catch2(self):
        script = self.top.parent / "pkg-config"
        script.write_text(NO_CATCH2)
        script.chmod(0o755)
        done = self.bash("meson setup build", PKG_CONFIG=str(script), CMAKE="false")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("the tests need Catch2: install it (on Debian: apt install catch2), or configure with -Dtests=false",
                      done.stdout)


class OpenFuse(unittest.TestCase):
    """open_fuse, with a file as the device and a stand-in of root."""

    def said(self, mode):
        with tempfile.TemporaryDirectory() as folder:
            device = pathlib.Path(folder) / "fuse"
            if mode is not None:
                device.write_text("")
                device.chmod(mode)
            script = f". scripts/setup.sh; as_root() {{ \"$@\"; }}; open_fuse {device}"
            done = subprocess.run(["bash", "-euo", "pipefail", "-c", script], cwd=TOP, capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            return done.stdout.replace(str(device), "DEVICE").strip(), device.stat().st_mode & 0o777 if mode is not None else None

    def test_a_closed_device_is_opened_and_that_is_said(self):
        said, mode = self.said(0o600)
        if os.geteuid() == 0 or shutil.which("sudo"):
            self.assertEqual((said, mode), ("==> containers: chmod 0666 DEVICE, with which users mount the images of their jobs", 0o666))
        else:
            self.assertIn("as root: chmod 0666 DEVICE", said)

    def test_an_open_device_stays(self):
        self.assertEqual(self.said(0o666), ("", 0o666))

    def test_a_missing_device_is_named_with_the_line_to_run(self):
        self.assertIn("there is no DEVICE, so jobs here cannot use --container-image; as root: modprobe fuse", self.said(None)[0])


if __name__ == "__main__":
    unittest.main()
