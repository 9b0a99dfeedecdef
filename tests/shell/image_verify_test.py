#!/usr/bin/env python3
"""Tests what the last step of an image's recipe finds missing, in small roots with what each kind of image needs."""
import os, pathlib, re, subprocess, sys, tempfile, unittest

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tests/fakes/images"))
import modules

STEPS = [re.sub(r"^\d+-", "", step.stem) for step in sorted((TOP / "images/steps").iterdir())]
BASES = {
    "debian-13": dict(system="debian", release="trixie", architecture="amd64", kernel="-cloud-amd64", driver="none",
                      version="6.12.48+deb13-cloud-amd64"),
    "accelerator-amd64": dict(system="ubuntu", release="noble", architecture="amd64", kernel="-gcp", driver="included",
                              version="6.17.0-1010-gcp"),
    "accelerator-arm64": dict(system="ubuntu", release="noble", architecture="arm64", kernel="-gcp-64k", driver="included",
                              version="6.17.0-1010-gcp-64k"),
    "tcpx-amd64": dict(system="ubuntu", release="noble", architecture="amd64", kernel="-gcp-tcpx", driver="install",
                       version="5.15.0-1004-gcp-tcpx"),
}
IMAGES = [("socket", "debian-13"), ("socket", "accelerator-amd64"), ("tcpxo", "accelerator-amd64"), ("gib", "accelerator-amd64"),
          ("gib", "accelerator-arm64"), ("tcpx", "tcpx-amd64")]


def requirements(transport, base, containers="slipway"):
    """(step, kind, what) of the requirements that apply to an image"""
    tags = {"all", transport, base["system"], base["architecture"], *(["gpu"] if base["driver"] != "none" else []), *(["pyxis"] if containers == "pyxis" else [])}
    for line in (TOP / "images/requirements").read_text().splitlines():
        if line and not line.startswith("#"):
            when, step, kind, what = line.split()
            if set(when.split("+")) <= tags:
                yield step, kind, what


class Image(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def put(self, path, text="text\n", mode=0o755):
        file = self.root / path.lstrip("/").replace("*", "x")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        file.chmod(mode)

    def put_requirement(self, kind, what):
        if kind == "program":
            self.put(what if what.startswith("/") else f"/usr/bin/{what}")
        elif kind == "file":
            self.put(what, mode=0o644)
        elif kind in ("unit", "enabled"):
            self.put(f"/usr/lib/systemd/system/{what}", mode=0o644)
            link = self.root / "etc/systemd/system/multi-user.target.wants" / what
            if kind == "enabled":
                link.parent.mkdir(parents=True, exist_ok=True)
                link.symlink_to(f"/usr/lib/systemd/system/{what}")

    def make(self, transport, base_name, kernel=None):
        """A root that has everything that the image needs, with the modules for its kernel."""
        self.transport, self.base_name, base = transport, base_name, BASES[base_name]
        self.kernel = kernel or base["version"]
        self.put("/etc/os-release", f'ID={base["system"]}\nVERSION_CODENAME={base["release"]}\nPRETTY_NAME="Made"\n')
        self.put(f"/boot/vmlinuz-{self.kernel}")
        names = set()
        for _, kind, what in requirements(transport, base):
            if kind == "module":
                names.add(what)
            else:
                self.put_requirement(kind, what)
        modules.install(self.root, self.kernel, sorted(names))

    def verify(self, steps=STEPS):
        base = BASES[self.base_name]
        return subprocess.run([TOP / "images/verify.sh", self.root], capture_output=True, text=True, timeout=60, env={
            **os.environ, "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", **{key: base[key] for key in base if key != "version"},
            "transport": self.transport, "base": self.base_name, "steps_of_image": f" {' '.join(steps)} "})

    def finds(self, *lines):
        done = self.verify()
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertEqual([line.removeprefix("    missing: ") for line in done.stderr.splitlines()[:-1]], list(lines))

    def test_each_image_that_has_everything_is_complete(self):
        for transport, base in IMAGES:
            with self.subTest(transport=transport, base=base):
                self.setUp()
                self.make(transport, base)
                done = self.verify()
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertRegex(done.stdout, rf"^    \d+ requirements are met; the kernel {re.escape(self.kernel)} boots\n$")

    def test_an_empty_root_meets_no_requirement(self):
        self.transport, self.base_name = "tcpxo", "accelerator-amd64"
        self.put("/etc/os-release", "ID=ubuntu\nVERSION_CODENAME=noble\n")
        done = self.verify()
        count = len(list(requirements("tcpxo", BASES["accelerator-amd64"])))
        self.assertEqual(done.stderr.splitlines()[-1],
                         f"the image is not complete: {count + 1} missing")  # and the kernel

    def places(self, kind, what):
        """The files and links without each of which a requirement is not met."""
        if kind == "program":
            return [self.root / (what.lstrip("/") if what.startswith("/") else f"usr/bin/{what}")]
        if kind == "module":
            return [self.root / f"lib/modules/{self.kernel}/updates/{what}.ko"]
        if kind == "file":
            return [self.root / what.lstrip("/").replace("*", "x")]
        unit = [self.root / "usr/lib/systemd/system" / what]
        return unit + [self.root / "etc/systemd/system/multi-user.target.wants" / what] * (kind == "enabled")

    def without(self, place, kind):
        """What verify finds while one file is away."""
        away = self.root / "away"
        place.rename(away)
        if kind == "module":
            subprocess.run(["/sbin/depmod", "--basedir", self.root, self.kernel], check=True)
        done = self.verify()
        away.rename(place)
        if kind == "module":
            subprocess.run(["/sbin/depmod", "--basedir", self.root, self.kernel], check=True)
        return done.returncode, [line.removeprefix("    missing: ") for line in done.stderr.splitlines()[:-1]]

    def test_each_requirement_alone_fails_the_build(self):
        """One by one, each in the first image that has it: exactly that one is found."""
        tried = set()
        says = {"program": "the program {}", "file": "the file {}, or it is empty", "unit": "the unit {}",
                "enabled": "the unit {}, or it is not enabled", "module": "the module {} of the kernel {}, which boots"}
        for transport, base in IMAGES:
            self.setUp()
            self.make(transport, base)
            for step, kind, what in set(requirements(transport, BASES[base])) - tried:
                for place in self.places(kind, what):
                    self.assertEqual(self.without(place, kind), (1, [f"{says[kind].format(what, self.kernel)} (step {step})"]),
                                     (transport, base, kind, what))
            tried |= set(requirements(transport, BASES[base]))
            self.assertEqual(self.verify().returncode, 0)  # all of it is back
        self.assertGreater(len(tried), 60)

    def test_an_empty_file_is_a_missing_one(self):
        self.make("tcpxo", "accelerator-amd64")
        (self.root / "var/lib/slipway/containers/tcpgpudmarxd-dev.tar.gz").write_text("")
        self.finds("the file /var/lib/slipway/containers/tcpgpudmarxd-dev.tar.gz, or it is empty (step transport)")

    def test_a_failed_verification_fails_the_build(self):
        """install.sh on this machine, where much is missing; the step only reads."""
        self.put("programs/id", "#!/bin/sh\necho 0\n")
        done = subprocess.run([TOP / "images/install.sh", "--machine-type", "a3-megagpu-8g", "verify"], capture_output=True, text=True,
                              timeout=60, env={**os.environ, "PATH": f"{self.root}/programs:/usr/sbin:/usr/bin:/sbin:/bin"})
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stderr, r"the image is not complete: \d+ missing\n$")

    def test_docker_without_its_client(self):
        self.make("tcpxo", "accelerator-amd64")
        (self.root / "usr/bin/docker").unlink()
        self.finds("the program docker (step containers)")

    def test_an_empty_plugin_folder(self):
        self.make("gib", "accelerator-amd64")
        for file in (self.root / "usr/local/gib").rglob("*"):
            if file.is_file():
                file.unlink()
        self.finds("the file /usr/local/gib/lib64/libnccl-net.so, or it is empty (step transport)",
                   "the file /usr/local/gib/lib64/libnccl.so.2, or it is empty (step transport)",
                   "the file /usr/local/gib/scripts/set_nccl_env.sh, or it is empty (step transport)")

    def test_modules_of_a_kernel_that_does_not_boot(self):
        """As with the headers of another flavor: DKMS builds for the kernel that it has headers for, and says nothing."""
        self.make("tcpxo", "accelerator-amd64")
        self.put("/boot/vmlinuz-6.17.0-1022-gcp")
        modules.install(self.root, "6.17.0-1022-gcp", [])
        self.finds(*(f"the module {name} of the kernel 6.17.0-1022-gcp, which boots (step {step})" for name, step in (
            ("nvidia", "driver"), ("nvidia-uvm", "driver"), ("import-helper", "interfaces"), ("lustre", "lustre"))))

    def test_a_kernel_of_another_flavor(self):
        self.make("tcpx", "tcpx-amd64")
        self.put("/boot/vmlinuz-6.17.0-1010-gcp")
        modules.install(self.root, "6.17.0-1010-gcp", ["nvidia", "nvidia-uvm", "lustre"])
        self.finds("a kernel *-gcp-tcpx: 6.17.0-1010-gcp is the newest, which boots")

    def test_a_boot_loader_that_takes_another_kernel(self):
        self.make("socket", "debian-13")
        self.put("/etc/default/grub", 'GRUB_DEFAULT="1>2"\n')
        self.finds("GRUB_DEFAULT=0 in /etc/default/grub, with which GRUB boots the newest kernel, 6.12.48+deb13-cloud-amd64")

    def test_no_kernel(self):
        self.make("socket", "debian-13")
        (self.root / f"boot/vmlinuz-{self.kernel}").unlink()
        self.finds("a kernel in /boot")

    def test_a_missing_unit_and_one_that_does_not_start_at_boot(self):
        self.make("socket", "debian-13")
        (self.root / "usr/lib/systemd/system/slurmd.service").unlink()
        (self.root / "etc/systemd/system/multi-user.target.wants/slipway-node.service").unlink()
        self.finds("the unit slurmd.service (step slurm)", "the unit slipway-node.service, or it is not enabled (step slipway)")

    def test_a_program_that_cannot_be_executed(self):
        self.make("socket", "debian-13")
        (self.root / "usr/bin/nft").chmod(0o644)
        self.finds("the program nft (step base)")

    def test_another_base_than_the_options_name(self):
        self.make("tcpxo", "accelerator-amd64")
        self.put("/etc/os-release", 'ID=debian\nVERSION_CODENAME=trixie\nPRETTY_NAME="Debian GNU/Linux 13 (trixie)"\n')
        self.finds("the base accelerator-amd64: this system is Debian GNU/Linux 13 (trixie), not ubuntu noble")

    def test_steps_that_were_left_out_are_not_checked(self):
        self.make("socket", "debian-13")
        for name in ("boot", "opt/slipway/bin", "lib/modules", "usr/lib/systemd/system/google-cloud-ops-agent.service",
                     "usr/bin/gcsfuse"):
            subprocess.run(["rm", "-r", self.root / name], check=True)
        # As an image for this machine: without what needs the cloud.
        done = self.verify([step for step in STEPS if step in ("base", "slurm", "mpi", "limits")])
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"^    \d+ requirements are met\n$")

    def test_modules_are_checked_without_the_step_that_installs_the_driver(self):
        self.make("tcpx", "tcpx-amd64", kernel="6.17.0-1010-gcp")
        steps = [step for step in STEPS if step not in ("kernel", "driver")]
        self.assertEqual((self.verify(steps).returncode, self.verify(steps).stderr), (0, ""))
        modules.install(self.root, self.kernel, [])
        (self.root / f"lib/modules/{self.kernel}/updates/lustre.ko").unlink()
        modules.install(self.root, self.kernel, [])
        self.assertIn("missing: the module lustre of the kernel 6.17.0-1010-gcp, which boots (step lustre)", self.verify(steps).stderr)

    def test_every_requirement_names_a_step_and_a_kind(self):
        lines = [line.split() for line in (TOP / "images/requirements").read_text().splitlines() if line and line[0] != "#"]
        self.assertGreater(len(lines), 50)
        for when, step, kind, what in lines:
            self.assertIn(step, STEPS, what)
            self.assertIn(kind, ("program", "file", "unit", "enabled", "module"), what)
        # A requirement that no image has would never be checked.
        used = {entry for transport, base in IMAGES for entry in requirements(transport, BASES[base], "pyxis")}
        self.assertEqual({tuple(line[1:]) for line in lines} - used, set())


if __name__ == "__main__":
    unittest.main()
